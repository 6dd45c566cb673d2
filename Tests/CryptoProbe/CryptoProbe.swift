import LinuxNetworking
import NetworkPrimitives
import Noise

/// The primitives as a program, for scripts that measure and watch them.
@main
enum CryptoProbe {
    static let usage = """
        usage: CryptoProbe speed aead|sha256|x25519 SECONDS
               CryptoProbe secret \(Secrets.cases.joined(separator: "|"))
               CryptoProbe noise initiator|responder [PRE-SHARED KEY]
               CryptoProbe compute
               CryptoProbe iterate COUNT
               CryptoProbe wiped

        `secret` works with memory that was never written, for valgrind; `branch` and `index` do
        what is forbidden. `noise` speaks XX, or XXpsk3 with a key of 64 hexadecimal digits, on
        standard input and output. `compute` answers a line of OPERATION HEX… with a line of
        hexadecimal digits. `iterate` is the loop of RFC 7748 §5.2. `wiped` looks at the memory
        of secrets that are gone.
        """

    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            try? StandardStream.error.writeLine("\(error)")
            CurrentProcess.exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        switch (arguments.first, arguments.count) {
        case ("speed", 3):
            guard let seconds = Double(arguments[2]),
                let line = Speed.measure(arguments[1], seconds: seconds)
            else { break }
            return print(line)
        case ("secret", 2):
            if try Secrets.work(arguments[1]) { return }
        case ("noise", 2...3):
            let roles: [String: HandshakeRole] = ["initiator": .initiator, "responder": .responder]
            guard let role = roles[arguments[1]] else { break }
            return try speak(role, secret: arguments.count == 3 ? arguments[2] : nil)
        case ("compute", 1): return try Computations.answerAll()
        case ("iterate", 2):
            guard let count = Int(arguments[1]), count > 0 else { break }
            return print(Hexadecimal.text(Computations.iterated(count)))
        case ("wiped", 1): return try Wiping.examine()
        default: break
        }
        print(usage)
    }

    private static func speak(_ role: HandshakeRole, secret: String?) throws {
        var peer = try NoisePeer()
        try peer.run(role, secret: secret.flatMap(Hexadecimal.bytes))
    }
}
