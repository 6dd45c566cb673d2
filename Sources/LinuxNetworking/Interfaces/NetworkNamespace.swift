internal import CLinux

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Networks of the kernel that are apart from each other: a thread is in one of them, and so is
/// every socket for its whole life. For tests, which need a network that nobody else is on.
package enum NetworkNamespace {
    /// Puts the calling thread into a new network with nothing but a loopback that is down.
    /// Child processes that it starts are in it too. On a loop's thread this concerns all of
    /// the loop. Needs the administrator's rights.
    package static func enterNew() throws(SystemError) {
        try SystemCall.check("unshare", subject: "network") { unshare(CLONE_NEWNET) }
    }

    /// Puts the calling thread into the network that was given a name by `ip netns add`.
    package static func enter(named name: String) throws(SystemError) {
        let file = try SystemFile.open("/var/run/netns/\(name)", flags: O_RDONLY)
        let number = file.number
        try SystemCall.check("setns", subject: name) { setns(number, CLONE_NEWNET) }
    }
}
