"""What `mutate` and `plant` share: reading Swift as far as needed, and a copy of the project with
all changes built in, each switched on by a variable of the environment.
"""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
TIMED_OUT = "(the tests did not end)"
# Built for speed: the same tests run hundreds of times, in a tenth of the time.
RELEASE = ["-c", "release", "-Xswiftc", "-enable-testing"]

GATE = """
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
private let activeMutant: Int = {
    guard let text = unsafe getenv("VICINITY_MUTANT") else { return -1 }
    return unsafe Int(atoi(text))
}()
@inline(never) func isMutant(_ number: Int) -> Bool { number == activeMutant }
"""


# MARK: Reading Swift, as far as needed


def walk(text, start):
    """Each character with the depth of brackets before it, strings and comments left out."""
    depth, at = 0, start
    while at < len(text):
        character = text[at]
        if text.startswith("//", at):
            at = text.find("\n", at)
            if at < 0:
                return
            continue
        if character == '"':
            at += 1
            while at < len(text) and text[at] != '"':
                at += 2 if text[at] == "\\" else 1
            at += 1
            continue
        if character in ")]}":
            depth -= 1
        yield at, character, depth
        if character in "([{":
            depth += 1
        at += 1


def find_top(text, start, word):
    """Where the word stands outside all brackets opened since `start`; -1 if nowhere."""
    for at, _, depth in walk(text, start):
        if depth < 0:
            return -1
        if depth == 0 and text.startswith(word, at):
            return at
    return -1


def split_top(text, start, end, word):
    """The stretches between the top-level occurrences of the word, as pairs of places."""
    parts, first = [], start
    for at, _, depth in walk(text, start):
        if at >= end:
            break
        if depth == 0 and at >= first and text.startswith(word, at):
            parts.append((first, at))
            first = at + len(word)
    parts.append((first, end))
    return [trim(text, *part) for part in parts]


def trim(text, start, end):
    while start < end and (text[start].isspace() or text.startswith("//", start)):
        if text.startswith("//", start):
            start = text.find("\n", start)
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def statement_end(text, start):
    """The end of a simple statement that begins at `start`."""
    for at, character, depth in walk(text, start):
        if depth < 0:
            return at
        if character == "\n" and depth == 0:
            before = text[start:at].rstrip()
            after = text[at:].lstrip()
            if before.endswith(("=", "&&", "||", ",", "return")):
                continue
            if re.match(r"(&&|\|\||\?|:|\.|\+ |- )", after):
                continue
            return at
    return len(text)


def body_of(text, declaration):
    """The places between which the body of a declaration stands that ends before `declaration`."""
    start = find_top(text, declaration, "{")
    end = next((at for at, character, depth in walk(text, start + 1)
                if character == "}" and depth < 0), -1) if start >= 0 else -1
    return (start + 1, end) if end >= 0 else None


# MARK: A copy of the project


@contextlib.contextmanager
def folder(keep):
    """The folder to build in: a new one, or one that is kept."""
    with tempfile.TemporaryDirectory() as new:
        yield pathlib.Path(keep or new).resolve() / "project"


def elements(text, start):
    """The elements of the list whose bracket opens at `start`."""
    first = start + 1
    for at, character, depth in walk(text, start + 1):
        if depth < 0:
            break
        if depth == 0 and character == ",":
            yield first, at
            first = at + 1
    yield first, at


def reduced_manifest(text, wanted):
    """The manifest with these targets and what they depend on alone."""
    place = text.index("    targets: [") + len("    targets: ")
    parts = [text[first:last] for first, last in elements(text, place)]
    names = {}
    for part in parts:
        strings = re.findall(r'"([^"]+)"', re.sub(r"//.*", "", part))
        if strings:
            names[strings[0]] = (part, strings[1:])
    needed, left = set(), list(wanted)
    while left:
        name = left.pop()
        if name in names and name not in needed:
            needed.add(name)
            left += names[name][1]
    kept = [part for name, (part, _) in names.items() if name in needed]
    # The tests themselves are not worth the time that it takes to optimize them.
    text = re.sub(r"(\.testTarget\(.*?swiftSettings: strict)",
                  r'\1 + [.unsafeFlags(["-Onone"])]', text, count=1, flags=re.S)
    place = text.index("    targets: [") + len("    targets: ")
    head = re.sub(r"    products: \[.*?\n    \],\n", "", text[:place], flags=re.S)
    return head + "[" + ",".join(kept) + "\n])\n"


def copy_project(copy, targets, changed):
    """Copies the project, with a manifest for these targets, and without the files that will be
    written with their changes."""
    def ignored(directory, names):
        place = pathlib.Path(directory).relative_to(PROJECT)
        return {name for name in names if name.startswith(".build") or name == ".git"
                or name.endswith(".pcap") or str(place / name) in changed
                or str(place / name) == "Package.swift"}

    shutil.copytree(PROJECT, copy, dirs_exist_ok=True, ignore=ignored)
    update(copy / "Package.swift",
           reduced_manifest((PROJECT / "Package.swift").read_text(), targets))


def update(file, text):
    """Writes a file if that changes it, so that no more is built than has to be."""
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def write_gates(copy, rooms):
    for room in rooms:
        update(copy / "Sources" / room / "Mutation.swift", GATE)


def compile_project(copy, *arguments):
    """None, or what the compiler says."""
    built = subprocess.run(["swift", "build", *arguments], cwd=copy, capture_output=True,
                           text=True, check=False)
    return None if built.returncode == 0 else built.stdout + built.stderr


def errors_in(output):
    """The files and lines that do not compile."""
    return {(path, int(line)) for path, line in
            re.findall(r"/(Sources/\S+\.swift):(\d+):\d+: error", output)}


def failing(copy, number, filters, skips=(), limit=120):
    """The names of the tests that fail with one change on. A run that does not end has its own
    name, for it says nothing of whether a test would have seen the change."""
    binary = next((copy / ".build/release").glob("*.xctest"))
    environment = dict(os.environ, VICINITY_MUTANT=str(number))
    command = [str(binary), "--testing-library", "swift-testing"]
    for name in filters:
        command += ["--filter", name]
    for name in skips:
        command += ["--skip", name]
    try:
        run = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True,
                             timeout=limit, check=False, errors="replace")
    except subprocess.TimeoutExpired:
        return [TIMED_OUT]
    names = set(re.findall(
        r'Test "([^"\n]*)" (?:with \d+ test cases? )?failed', run.stdout + run.stderr))
    names |= {f"{name}()" for name in re.findall(
        r"Test (\w+)\([^)\n]*\) (?:with \d+ test cases? )?failed", run.stdout + run.stderr)}
    if run.returncode not in (0, 1):
        names.add(f"(the tests stopped with {run.returncode})")
    return sorted(names)


def check_sound(copy, filters):
    """Ends the program if tests fail without any change."""
    broken = failing(copy, -1, filters, limit=600)
    if broken:
        sys.exit(f"without any change these fail: {broken}")
