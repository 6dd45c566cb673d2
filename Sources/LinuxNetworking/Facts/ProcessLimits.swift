internal import CLinux
internal import NetworkPrimitives

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What limits this process, and what identifies the boot and the network it is in.
package enum ProcessLimits {
    /// The number of its user.
    package static var user: UInt32 { geteuid() }

    /// Whether a seccomp filter is around the calling thread.
    package static var hasSystemCallFilter: Bool {
        // Behind the name there is 2 for a filter, 1 for the strict mode.
        number(after: "Seccomp:", in: "/proc/thread-self/status").map { $0 > 0 } ?? false
    }

    /// How many files it may open; nil where the system does not tell, or without a limit.
    package static var openFileLimit: Int? {
        number(after: "Max open files", in: "/proc/self/limits")
    }

    /// How many files it has open.
    package static var openFileCount: Int {
        // One of them reads the list.
        max(((try? SystemFile.entries(of: "/proc/self/fd"))?.count ?? 0) - 1, 0)
    }

    /// How many IPv4 groups a socket may join; nil where the system does not tell.
    package static var membershipLimit: Int? {
        let path = "/proc/sys/net/ipv4/igmp_max_memberships"
        return (try? SystemFile.read(path, limit: 64)).flatMap { Int(firstLine($0)) }
    }

    /// Whether IPv6 is switched off on an interface.
    package static func isIPv6Disabled(on interface: String) -> Bool {
        let path = "/proc/sys/net/ipv6/conf/\(interface)/disable_ipv6"
        return (try? SystemFile.read(path, limit: 64)).map { firstLine($0) == "1" } ?? false
    }

    /// The kernel's random id of this boot; empty where there is none.
    package static var bootIdentifier: String {
        let path = "/proc/sys/kernel/random/boot_id"
        return (try? SystemFile.read(path, limit: 256)).map { firstLine($0) } ?? ""
    }

    /// The kernel's number of the calling thread's network; 0 where the system does not tell.
    package static var networkNamespace: UInt64 {
        let link = SystemFile.target(ofLink: "/proc/thread-self/ns/net") ?? ""
        return UInt64(link.filter { $0.isNumber }) ?? 0
    }

    /// The name of the program that has the socket, where this user may see it.
    ///
    /// - Parameter limit: How long to go through all processes.
    package static func program(
        ofSocket inode: UInt64, within limit: Duration = .milliseconds(5)
    ) -> String? {
        let wanted = "socket:[\(inode)]"
        let end = SystemClock.now.advanced(by: limit)
        for process in (try? SystemFile.entries(of: "/proc")) ?? [] {
            guard process.first?.isNumber == true else { continue }
            guard SystemClock.now < end else { return nil }
            let files = (try? SystemFile.entries(of: "/proc/\(process)/fd")) ?? []
            let isOwner = files.contains {
                SystemFile.target(ofLink: "/proc/\(process)/fd/\($0)") == wanted
            }
            guard isOwner else { continue }
            return (try? SystemFile.read("/proc/\(process)/comm", limit: 256)).map {
                firstLine($0)
            }
        }
        return nil
    }

    private static func firstLine(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// The first number behind a line's beginning.
    private static func number(after heading: String, in path: String) -> Int? {
        guard let bytes = try? SystemFile.read(path, limit: 1 << 20) else { return nil }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        where line.hasPrefix(heading) {
            let field = line.dropFirst(heading.count).split { $0 == " " || $0 == "\t" }.first
            return field.flatMap { Int($0) }
        }
        return nil
    }
}
