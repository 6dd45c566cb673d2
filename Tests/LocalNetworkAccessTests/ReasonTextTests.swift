import NetworkPrimitives
import Testing

@testable import LocalNetworkAccess

@Suite("Reasons in words")
struct ReasonTextTests {
    private static let address = IPAddress.v4(IPv4Address(192, 0, 2, 7))
    private static let holder = PortHolder(.ipv4, user: 7, program: "dnsd")

    private static let reasons: [LocalNetworkReason] = [
        .noInterface, .onlyLoopback, .interfaceDown("lan0"), .noCarrier("lan0"),
        .multicastOff("lan0"), .pointToPoint("lan0"), .noAddress("lan0"),
        .addressTentative("lan0"), .addressDuplicated("lan0", address),
        .familyMissing("lan0", .ipv4), .ipv6Disabled("lan0"), .mtuTooSmall("lan0", bytes: 576),
        .interfacesPolled(number: 1),
        .socketsRefused(.ipv4, number: 1, isFiltered: true), .portHeld(holder),
        .portHeldByOtherUser(holder), .portReserved, .tooManyOpenFiles(limit: 12),
        .membershipLimit("lan0", limit: 0), .joinRefused("lan0", .ipv6, number: 1),
        .socketFailed(Refusal(.socket, .ipv4, number: 22)),
        .sendingRefused("lan0", .ipv4, number: 1), .sendingFiltered(number: 1),
        .outputDropped("lan0", .ipv4), .multicastRouteMissing("lan0", .ipv6),
        .sendingFailed("lan0", .ipv4, number: 5), .inputDropped("lan0", .ipv4, .device),
        .reversePathFiltered("lan0"), .portRedirected,
        .hopLimitChanged("lan0", .ipv4, limit: 1), .nothingReceived(neighbours: 3),
        .nobodyAnswered, .containerBridge("lan0"), .macvlan("lan0"), .userModeNetwork("lan0"),
        .tunnel("tun0"), .hostNameShared(daemon: "avahi-daemon"), .suspended,
        .recorded(RecordedReason(name: "kept", text: "as it was", remedy: "do this")),
        .recordedElsewhere, .recordDamaged("it is no text"), .recordNotStored("it is full"),
    ]

    @Test("each has a name of its own, a text and a remedy", arguments: reasons)
    func words(_ reason: LocalNetworkReason) {
        #expect(Self.reasons.filter { $0.name == reason.name } == [reason])
        #expect(!reason.text.isEmpty && !reason.text.contains("Optional"))
        #expect(!reason.remedy.isEmpty)
        #expect(reason.description == "\(reason.name): \(reason.text) (\(reason.remedy))")
    }

    @Test("both families, places and holders are told apart")
    func variants() {
        #expect(
            LocalNetworkReason.familyMissing("lan0", .ipv4).remedy
                != LocalNetworkReason.familyMissing("lan0", .ipv6).remedy)
        #expect(
            LocalNetworkReason.multicastRouteMissing("lan0", .ipv4).remedy
                != LocalNetworkReason.multicastRouteMissing("lan0", .ipv6).remedy)
        let places: [LocalNetworkReason.DropPlace] = [.packetFilter, .device, .unknown]
        #expect(
            Set(places.map { LocalNetworkReason.inputDropped("lan0", .ipv4, $0).text }).count == 3)
        #expect(LocalNetworkReason.portHeld(nil).text.hasPrefix("another program holds"))
        #expect(LocalNetworkReason.portHeld(Self.holder).text.hasPrefix("dnsd of user 7 holds"))
    }
}
