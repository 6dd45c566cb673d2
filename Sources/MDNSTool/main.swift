import LinuxNetworking

// Before any thread is there that could get the signals instead.
ProcessSignals.block([.interrupt, .terminate, .hangUp])
ProcessSignals.ignoreBrokenPipe()
CurrentProcess.run {
    await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue
}
