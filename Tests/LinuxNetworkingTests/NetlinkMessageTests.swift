import NetworkPrimitives
import TestSupport
import Testing

@testable import LinuxNetworking

/// Messages that a kernel wrote, from `Fixtures/Netlink`.
private func recording(_ name: String) throws -> [UInt8] {
    let text = try SystemFile.read(ProjectFiles.fixture("Netlink/\(name)"))
    return String(decoding: text, as: UTF8.self).split(separator: "\n")
        .filter { !$0.hasPrefix("#") }
        .flatMap { $0.split(separator: " ").compactMap { UInt8($0, radix: 16) } }
}

private func parse(_ bytes: [UInt8]) -> NetlinkMessage.Batch {
    NetlinkMessage.parse(bytes.span)
}

@Suite("Netlink messages")
struct NetlinkMessageTests {
    @Test("Links and addresses of a recording become interfaces")
    func interfaces() throws {
        let links = parse(try recording("links.hex"))
        let addresses = parse(try recording("addresses.hex"))
        #expect(links.messages.last == .done)
        #expect(addresses.messages.last == .done)
        #expect(!links.isTorn)
        let list = NetworkInterface.list(links.messages + addresses.messages)
        #expect(list.map(\.name) == ["lo", "p0", "d0"])
        #expect(list.map(\.index.rawValue) == [1, 2, 3])
        #expect(list.map(\.maximumTransmissionUnit) == [65536, 1500, 1400])
        #expect(
            list.map { $0.hardwareAddress?.description } == [
                nil, "02:00:00:00:00:08", "02:00:00:00:00:07",
            ])
        #expect(list[0].flags == [.up, .running, .loopback])
        #expect(list[1].flags == [.up, .running, .multicast])
        #expect(list[0].addresses.map(\.prefix.description) == ["127.0.0.1/8", "::1/128"])
        // Of two ends it is ours that counts.
        #expect(list[1].addresses.first?.prefix.description == "198.51.100.1/32")
    }

    @Test("Marks of addresses are told, and one of IPv4 is not taken for one of IPv6")
    func marks() throws {
        let messages = parse(try recording("addresses.hex")).messages
        var marks: [String: [Bool]] = [:]
        for case .address(let address) in messages {
            let it = address.address
            marks[it.prefix.description] = [it.isTentative, it.isDeprecated, it.isTemporary]
        }
        // A second address of one subnet has the bit of a temporary one.
        #expect(marks["192.0.2.2/24"] == [false, false, false])
        #expect(marks["2001:db8::7/64"] == [false, true, false])
        #expect(marks["2001:db8::8/64"] == [true, false, false])
        #expect(marks["fe80::ff:fe00:7/64"] == [true, false, false])
        #expect(marks["::1/128"] == [false, false, false])
    }

    @Test("The removal of a link is told")
    func removal() throws {
        let messages = parse(try recording("link-gone.hex")).messages
        #expect(messages.contains(.linkGone(InterfaceIndex(rawValue: 3))))
        #expect(messages.contains(.linkGone(InterfaceIndex(rawValue: 2))))
    }

    @Test("A message cut anywhere is read as far as it goes, and never beyond")
    func cut() throws {
        for name in ["links.hex", "addresses.hex"] {
            let bytes = try recording(name)
            let whole = parse(bytes).messages
            for count in 0..<bytes.count {
                let part = parse(Array(bytes.prefix(count))).messages
                #expect(part == Array(whole.prefix(part.count)))
                #expect(part.count < whole.count)
            }
        }
    }

    @Test("Lengths that can't be are the end of the reading")
    func lengths() {
        let tooShort: [UInt8] = [15, 0, 0, 0, 16, 0] + [UInt8](repeating: 0, count: 10)
        #expect(parse(tooShort).messages.isEmpty)
        let tooLong: [UInt8] = [255, 255, 255, 255, 16, 0] + [UInt8](repeating: 0, count: 10)
        #expect(parse(tooLong).messages.isEmpty)
        // A link without its fixed part.
        let noBody: [UInt8] = [16, 0, 0, 0, 16, 0] + [UInt8](repeating: 0, count: 10)
        #expect(parse(noBody).messages == [.other])
    }

    @Test("An error carries its number; a list that changed meanwhile is marked")
    func errorAndMark() {
        var refusal: [UInt8] = [20, 0, 0, 0, 2, 0, 0, 0] + [UInt8](repeating: 0, count: 8)
        refusal += [0xFF, 0xFF, 0xFF, 0xFF]
        #expect(
            parse(refusal).messages == [.failure(.notPermitted)])
        let torn: [UInt8] = [16, 0, 0, 0, 3, 0, 0x12, 0] + [UInt8](repeating: 0, count: 8)
        #expect(parse(torn).isTorn)
        #expect(parse(torn).messages == [.done])
    }
}
