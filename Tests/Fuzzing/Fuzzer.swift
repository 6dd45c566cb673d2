import FuzzChecks
import LinuxNetworking

/// Runs libFuzzer over one target, which `VICINITY_FUZZ_TARGET` names; the arguments are
/// libFuzzer's own.
@main
enum Fuzzer {
    static func main() {
        precondition(target != nil, "VICINITY_FUZZ_TARGET names no target")
        var count = CommandLine.argc
        // libFuzzer may put other arguments in their place; they live as long as the process.
        var arguments = unsafe CommandLine.unsafeArgv
        let status = unsafe runFuzzer(&count, &arguments) { start, count in
            // Lent by the fuzzer for the length of this call.
            let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
            if let fault = Fuzzer.target?.check(bytes) { preconditionFailure(fault) }
            return 0
        }
        precondition(status == 0, "the fuzzer ended with \(status)")
    }

    private static let target = FuzzTarget(
        rawValue: ProcessEnvironment["VICINITY_FUZZ_TARGET"] ?? "")
}

private typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
private typealias OneInput = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

/// libFuzzer's driver. SwiftPM gives an executable's entry another name than `main`, so that
/// libFuzzer's own entry can't be used. Its few arguments are passed alike in Swift and C.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<Arguments>,
    _ check: OneInput
) -> CInt
