/// The primitives as a program, for scripts that measure and watch them.
@main
enum CryptoProbe {
    static let usage = """
        usage: CryptoProbe speed aead|sha256|x25519 SECONDS
               CryptoProbe secret x25519|aead|hmac|comparison|branch|index

        `secret` works with memory that was never written, for valgrind; `branch` and `index` do
        what is forbidden.
        """

    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("speed", 3):
            guard let seconds = Double(arguments[2]),
                let line = Speed.measure(arguments[1], seconds: seconds)
            else { break }
            print(line)
            return
        case ("secret", 2):
            if Secrets.work(arguments[1]) { return }
        default: break
        }
        print(usage)
    }
}
