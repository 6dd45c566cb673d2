import Testing

@testable import LocalNetworkAccess

@Suite("Unit files of systemd")
struct UnitFileTests {
    private func read(_ text: String) throws -> UnitFile { try UnitFile(Array(text.utf8)) }

    @Test("sections, keys, comments and positions are read")
    func plain() throws {
        let unit = try read(
            "# a comment\n[Unit]\nDescription = Some  thing \n; other\n\n[Service]\n  Key=a b\r\n")
        #expect(unit.sections == ["Unit", "Service"])
        #expect(unit.assignments.map(\.value) == ["Some  thing", "a b"])
        #expect(unit.assignments.map(\.section) == ["Unit", "Service"])
        #expect(unit.assignments[0].key == "Description")
        #expect(unit.assignments[1].position == SourcePosition(line: 7, column: 3))
        #expect(unit.assignments[1].words.map(\.text) == ["a", "b"])
        #expect(unit.assignments[1].words[1].position == SourcePosition(line: 7, column: 9))
    }

    @Test("a value goes on behind a backslash, comments between its lines left out")
    func continued() throws {
        let unit = try read("[S]\nKey=one \\\n# not this\n  two \\\n\tthree\nOther=x\n")
        #expect(unit.assignments.map(\.value) == ["one two three", "x"])
        let words = unit.assignments[0].words
        #expect(words.map(\.text) == ["one", "two", "three"])
        #expect(
            words.map(\.position) == [
                SourcePosition(line: 2, column: 5), SourcePosition(line: 4, column: 3),
                SourcePosition(line: 5, column: 2),
            ])
        #expect(try read("[S]\nKey=one \\").assignments.map(\.value) == ["one"])
    }

    @Test("quotes join words, a backslash takes the next character as it stands")
    func quoted() throws {
        let unit = try read("[S]\nKey=\"a b\" 'c \"d' e\\ f\n")
        #expect(unit.assignments[0].words.map(\.text) == ["a b", "c \"d", "e f"])
    }

    @Test("an empty assignment resets what came before it, others add to it")
    func reset() throws {
        let unit = try read("[S]\nL=a\nL=b\nL=\nL=c\nL=d\nV=1\nV=\n")
        #expect(unit.list("L", in: "S").map(\.value) == ["c", "d"])
        #expect(unit.assignments(of: "L", in: "S").count == 5)
        #expect(unit.last("V", in: "S") == nil)
        #expect(unit.last("L", in: "S")?.value == "d")
        #expect(unit.last("L", in: "T") == nil)
    }

    @Test("what is no unit file is a typed error with its place")
    func errors() {
        func failure(_ bytes: [UInt8]) -> UnitFileError? {
            do throws(UnitFileError) {
                _ = try UnitFile(bytes)
                return nil
            } catch {
                return error
            }
        }
        #expect(failure(Array("[S]\nnothing\n".utf8))?.code == .assignment)
        #expect(failure(Array("[S]\nnothing\n".utf8))?.position.line == 2)
        #expect(failure(Array("A=b\n".utf8))?.code == .section)
        #expect(failure(Array("[S\n".utf8))?.code == .section)
        #expect(failure(Array("[S]\nA=".utf8) + [0xFF])?.code == .encoding)
        #expect(failure(Array("[S]\nA=".utf8) + [0])?.code == .encoding)
        #expect(
            failure([UInt8](repeating: 0x23, count: UnitFile.maximumBytes + 1))?.code == .tooLarge)
        #expect(failure([UInt8](repeating: 0x23, count: UnitFile.maximumBytes)) == nil)
        #expect(failure([]) == nil)
    }
}
