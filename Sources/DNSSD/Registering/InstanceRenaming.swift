/// How another name is made of an instance name that is taken (RFC 6762 §9).
public enum InstanceRenaming {
    /// `Name (2)` after `Name`, `Name (3)` after `Name (2)`: never over 63 bytes, cut at a border
    /// between characters where the number needs room.
    public static func name(after name: String) -> String {
        let (base, number) = parts(of: name)
        let tail = " (\(number + 1))"
        let room = DiscoveryLimits.labelBytes - tail.utf8.count
        var kept = base.truncated(toUTF8Count: room)
        while kept.last == " " { kept.removeLast() }
        return kept + tail
    }

    /// A name that can be used where none was given: `text` without control characters, cut to
    /// 63 bytes, `Service` if nothing is left.
    public static func usableDefault(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.composed.unicodeScalars
        where scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) {
            scalars.append(scalar)
        }
        let cut = String(scalars).truncated(toUTF8Count: DiscoveryLimits.labelBytes)
        return cut.allSatisfy { $0.isWhitespace } ? "Service" : cut
    }

    /// The name without its ` (N)`, and N; 1 for a name without.
    private static func parts(of name: String) -> (base: String, number: Int) {
        guard name.hasSuffix(")"), let open = name.lastIndex(of: "("), open > name.startIndex
        else { return (name, 1) }
        let space = name.index(before: open)
        let digits = name[name.index(after: open)...].dropLast()
        guard name[space] == " ", space > name.startIndex, !digits.isEmpty,
            digits.first != "0", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            digits.utf8.count <= 9, let number = Int(digits), number > 1
        else { return (name, 1) }
        return (String(name[..<space]), number)
    }
}
