import PeerProtocol
import Testing

@Suite("The name of a peer")
struct PeerNameTests {
    @Test(arguments: ["a", "Annas Laptop", "über", String(repeating: "x", count: 63)])
    func allowed(_ text: String) throws {
        #expect(try PeerName(text).text == text)
        #expect(try PeerName(utf8: Array(text.utf8)).text == text)
    }

    @Test func brokenRulesAreNamed() {
        #expect(throws: PeerNameError.empty) { try PeerName("") }
        #expect(throws: PeerNameError.tooLong(bytes: 64)) {
            try PeerName(String(repeating: "ü", count: 32))
        }
        #expect(throws: PeerNameError.notUTF8) { try PeerName(utf8: [0x41, 0xC3]) }
        #expect(throws: PeerNameError.notUTF8) { try PeerName(utf8: [0xED, 0xA0, 0x80]) }
        #expect(throws: PeerNameError.empty) { try PeerName(utf8: []) }
    }

    /// A family of 25 bytes, a flag of 8, and an accent of its own.
    @Test(arguments: [
        ("👨‍👩‍👧‍👦", 25, 2), ("🇨🇭", 8, 7), ("e\u{301}", 3, 21), ("ü", 2, 31), ("x", 1, 63),
    ])
    func cutBetweenCharacters(_ character: String, bytes: Int, kept: Int) throws {
        #expect(character.utf8.count == bytes)
        let name = try PeerName(cutting: String(repeating: character, count: 70))
        #expect(name.text == String(repeating: character, count: kept))
        #expect(name.text.utf8.count <= 63)
    }

    @Test func cuttingKeepsWhatFits() throws {
        #expect(try PeerName(cutting: "short").text == "short")
        #expect(throws: PeerNameError.empty) { try PeerName(cutting: "") }
        let accents = "e" + String(repeating: "\u{301}", count: 40)
        #expect(throws: PeerNameError.tooLong(bytes: 81)) { try PeerName(cutting: accents) }
    }

    @Test func oneLetterInTwoSpellingsIsOneName() throws {
        #expect(try PeerName("\u{E9}") == PeerName("e\u{301}"))
        #expect(try PeerName("a") != PeerName("A"))
    }
}
