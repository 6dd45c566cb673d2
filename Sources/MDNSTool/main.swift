import LinuxEventLoop
import LinuxNetworking

// Before any thread is there that could get the signals instead.
ProcessSignals.block([.interrupt, .terminate, .hangUp])
ProcessSignals.ignoreBrokenPipe()
Program.start(Array(CommandLine.arguments.dropFirst()))
CurrentProcess.park()
