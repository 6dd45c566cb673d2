import ProcessSupport
import TestSupport
import Testing

/// This Noise with two others, over pipes (`Tests/Lab/noise_peer.py`).
@Suite("Noise with other implementations")
struct OtherImplementationTests {
    /// The role is the other's.
    @Test(
        "Noise with noiseprotocol: handshake, 100 messages each way, two rekeys, a changed one",
        .python("noise.connection", "cryptography"), arguments: ["initiator", "responder"],
        ["XX", "XXpsk3"])
    func noiseprotocol(_ role: String, _ pattern: String) async throws {
        try await speak("noiseprotocol", role, pattern)
    }

    @Test(
        "Noise with dissononce: handshake, 100 messages each way, two rekeys, a changed one",
        .python("dissononce", "cryptography"), arguments: ["initiator", "responder"],
        ["XX", "XXpsk3"])
    func dissononce(_ role: String, _ pattern: String) async throws {
        try await speak("dissononce", role, pattern)
    }

    private func speak(_ library: String, _ role: String, _ pattern: String) async throws {
        let outcome = try await PythonModules.run(
            "noise_peer.py", [ProgramRun.path(of: "CryptoProbe"), library, role, pattern])
        #expect(outcome.status.isSuccess, "\(outcome.errorText)")
        #expect(outcome.text == "\(library) as \(role) of \(pattern): done\n")
    }
}
