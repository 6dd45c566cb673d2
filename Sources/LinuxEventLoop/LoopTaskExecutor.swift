package import LinuxNetworking

/// Runs tasks on the thread of a loop.
///
/// Tasks without a preference run on the system's pool of threads, which on Linux wakes up once
/// a second as long as the program lives. A program that is to be quiet gives its tasks to a
/// loop of their own; there they may block, as long as nothing else has to run meanwhile.
package final class LoopTaskExecutor: TaskExecutor {
    private let loop: EventLoop

    /// An executor with a new loop, which is never stopped.
    package init(name: String) throws(SystemError) {
        loop = try EventLoop(name: name)
    }

    /// Puts a job in line.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.perform { [self] in
            // This executor is held by the closure while the job runs.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
