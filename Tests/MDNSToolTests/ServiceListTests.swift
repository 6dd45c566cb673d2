import MDNS
import Testing

@testable import MDNSTool

@Suite("Lists of services")
struct ServiceListTests {
    private func list(_ lines: String...) -> ServiceList {
        ServiceList(Array(lines.joined(separator: "\n").utf8))
    }

    private func published(_ list: ServiceList) -> [ServiceKey: ServiceDescription] {
        var published: [ServiceKey: ServiceDescription] = [:]
        for entry in list.entries { published[ServiceKey(entry.service)] = entry.service }
        return published
    }

    private let web = #"{"instance": "Web", "type": "_http._tcp", "port": 80}"#
    private let printer =
        #"{"instance": "Laser", "type": "_ipp._tcp", "port": 631, "txt": {"a": "1"}}"#

    @Test("Every key is understood as the command line has it")
    func keys() throws {
        let list = list(
            #"{"instance": "A.B", "type": "_printer._sub._ipp._tcp", "port": 631, "#
                + #""txt": {"flag": null, "text": "ü", "bin": {"hex": "00ff"}}, "#
                + #""subtypes": ["_color"], "host": "laser", "addresses": ["192.0.2.1", "#
                + #""fe80::1"], "reverse": false, "interfaces": ["eth0"]}"#)
        #expect(list.problems.isEmpty)
        let service = try #require(list.entries.first?.service)
        #expect(service.name == "A.B" && service.port == 631)
        #expect(service.type == (try BrowsedType("_ipp._tcp")).type)
        #expect(service.subtypes.map(\.description) == ["_color", "_printer"])
        #expect(service.txt["flag"] == TXTRecord.Value.none)
        #expect(service.txt["text"]?.text == "ü")
        #expect(service.txt["bin"] == .bytes([0, 255]))
        #expect(service.host?.name.description == "laser.local")
        #expect(service.host?.addresses.map(\.description) == ["192.0.2.1", "fe80::1"])
        #expect(service.host?.publishesReverseMapping == false)
        #expect(service.interfaces == .named(["eth0"]))
    }

    @Test("Bad lines are named by number, all others stay")
    func badLines() {
        let list = list(
            web, "", "{", "[]", #"{"instance": "X", "type": "_http._tcp"}"#,
            #"{"instance": "X", "type": "_http._tcp", "port": 65536}"#,
            #"{"instance": "X", "type": "http", "port": 1}"#,
            #"{"instance": "X", "type": "_http._tcp", "port": 1, "colour": "red"}"#,
            #"{"instance": 7, "type": "_http._tcp", "port": 1}"#,
            #"{"instance": "X", "type": "_http._tcp", "port": 1, "txt": {"a": 1}}"#,
            #"{"instance": "X", "type": "_http._tcp", "port": 1, "addresses": ["192.0.2.1"]}"#,
            web, #"{"instance": "X", "type": "_http._tcp", "port": 1, "interfaces": []}"#,
            "  \r", printer)
        #expect(list.entries.map(\.line) == [1, 15])
        #expect(list.problems.map(\.line) == [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
        let reasons = list.problems.map(\.reason)
        #expect(reasons[0] == "no JSON at column 2: a key in quotes is missing")
        #expect(reasons[3] == "'port' is a number where a number from 0 to 65535 belongs")
        #expect(reasons[5].hasPrefix("there is no key 'colour'; there are instance, type,"))
        #expect(reasons[9] == "the service of line 1 once more")
    }

    @Test("Lines that are too long are refused unread, and so are too many services")
    func bounds() {
        let long = list(String(repeating: "[", count: 1 << 20), web)
        #expect(long.entries.map(\.line) == [2])
        #expect(long.problems.first?.reason.hasPrefix("the line has 1048576 bytes") == true)
        var lines = ""
        for number in 0...ServiceList.countLimit {
            lines += #"{"instance": "\#(number)", "type": "_http._tcp", "port": 80}"# + "\n"
        }
        let many = ServiceList(Array(lines.utf8))
        #expect(many.entries.count == ServiceList.countLimit)
        #expect(many.problems.map(\.line) == [ServiceList.countLimit + 1])
    }

    @Test("A list that is read again changes only what differs")
    func changes() {
        let before = published(list(web, printer))
        let text = printer.replacing(#""1""#, with: #""2""#)
        let port = web.replacing("80", with: "81")
        let same = ServiceListChange(from: before, to: list(printer, web))
        #expect(same.withdrawn.isEmpty && same.added.isEmpty && same.updated.isEmpty)
        let updated = ServiceListChange(from: before, to: list(text, web))
        #expect(updated.updated.map(\.line) == [1])
        #expect(updated.withdrawn.isEmpty && updated.added.isEmpty)
        let moved = ServiceListChange(from: before, to: list(printer, port))
        #expect(moved.withdrawn.count == 1 && moved.added.map(\.line) == [2])
        #expect(moved.updated.isEmpty)
        let fewer = ServiceListChange(from: before, to: list(web))
        #expect(fewer.withdrawn == published(list(printer)).keys.map { $0 })
        #expect(fewer.added.isEmpty && fewer.updated.isEmpty)
    }

    @Test("While a line is bad nothing is withdrawn for want of its line")
    func badLineWhenReadAgain() {
        let before = published(list(web, printer))
        let change = ServiceListChange(from: before, to: list(web, "{"))
        #expect(change.withdrawn.isEmpty && change.added.isEmpty && change.updated.isEmpty)
    }

    @Test("One name on two interfaces is two services")
    func interfaces() {
        let first = #"{"instance":"W","type":"_http._tcp","port":80,"interfaces":["eth0"]}"#
        let second = first.replacing("eth0", with: "eth1")
        #expect(list(first, second).entries.count == 2)
    }
}
