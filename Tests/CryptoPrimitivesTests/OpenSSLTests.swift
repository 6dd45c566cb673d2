import ProcessSupport
import TestSupport
import Testing

/// Random inputs, compared with OpenSSL (`Tests/Lab/crypto_check.py`).
@Suite("Cryptography beside OpenSSL")
struct OpenSSLTests {
    @Test(
        .python("cryptography"))
    func randomInputs() async throws {
        let outcome = try await PythonModules.run(
            "crypto_check.py", [ProgramRun.path(of: "CryptoProbe")])
        #expect(outcome.status.isSuccess, "\(outcome.errorText)")
        #expect(outcome.text == "\(5 * 1_026 + 299 + 300) answers are OpenSSL's\n")
    }
}
