import LinuxNetworking
import Testing

@testable import LinuxDiscovery

@Suite("Errors that deny the local network")
struct LocalNetworkErrorTests {
    private static let operations = [
        "socket", "bind", "setsockopt", "join group on interface", "connect", "sendmsg", "sendto",
        "send", "recvmsg", "open", "epoll_ctl", "pthread_create", "list interfaces",
    ]
    private static let codes: [SystemError.Code] = [
        .notPermitted, .accessDenied, .hostUnreachable, .networkUnreachable, .networkDown,
        .timedOut, .connectionRefused, .addressInUse, .addressNotAvailable, .familyUnsupported,
        .noBufferSpace, .tooManyFiles, .noSuchDevice, .invalidArgument, .outOfMemory,
        .messageTooLong, .interrupted,
    ]

    /// What is certain, by operation and number; all else is not.
    private static let certain: Set<String> = [
        "socket EPERM", "socket EACCES", "bind EPERM", "bind EACCES", "setsockopt EPERM",
        "setsockopt EACCES", "join group on interface EPERM", "join group on interface EACCES",
        "connect EPERM", "connect EACCES", "sendmsg EPERM", "sendmsg EACCES", "sendto EPERM",
        "sendto EACCES", "send EPERM", "send EACCES", "recvmsg EPERM", "recvmsg EACCES",
    ]
    private static let possible: Set<String> = [
        "connect EHOSTUNREACH", "sendmsg EHOSTUNREACH", "sendto EHOSTUNREACH",
        "send EHOSTUNREACH", "connect ETIMEDOUT on link",
    ]

    @Test("operation, number and whether the destination is on the link decide it")
    func table() {
        var seen = 0
        for operation in Self.operations {
            for code in Self.codes {
                for isOnLink in [false, true] {
                    let error = MDNSError(
                        .systemFailure, "",
                        systemFailure: .init(
                            operation: operation, number: code.rawValue, isOnLink: isOnLink))
                    let name = "\(operation) \(code)"
                    let isPossible =
                        Self.possible.contains(name)
                        || isOnLink && Self.possible.contains("\(name) on link")
                    #expect(
                        error.isLocalNetworkDenied == Self.certain.contains(name), "\(name)")
                    #expect(error.mayBeLocalNetworkDenial == isPossible, "\(name) \(isOnLink)")
                    seen += error.isLocalNetworkDenied || error.mayBeLocalNetworkDenial ? 1 : 0
                }
            }
        }
        #expect(seen == Self.certain.count * 2 + 9)
    }

    @Test("errors of the node's own door are classified; those without a system call are not")
    func ownErrors() {
        let refused = SystemError("socket", .notPermitted)
        #expect(MDNSError(SocketError.notPermitted(refused)).isLocalNetworkDenied)
        let reserved = SystemError("bind", .accessDenied, subject: "port 5353")
        #expect(MDNSError(SocketError.notPermitted(reserved)).isLocalNetworkDenied)
        #expect(!MDNSError(SocketError.portHeldExclusively(5353)).isLocalNetworkDenied)
        #expect(!MDNSError(refused, whenDoing: "").mayBeLocalNetworkDenial)
        let file = SystemError("open", .accessDenied, subject: "a file")
        #expect(!MDNSError(file, whenDoing: "reading").isLocalNetworkDenied)
        for error in [MDNSError(.nameTaken, ""), MDNSError(.cancelled, "")] {
            #expect(!error.isLocalNetworkDenied && !error.mayBeLocalNetworkDenial)
        }
    }
}
