/// The primitives and the handshake as a program, for scripts that set them beside others.
@main
enum CryptoProbe {
    static let usage = """
        usage: CryptoProbe speed aead|sha256|x25519 SECONDS
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
        default: break
        }
        print(usage)
    }
}
