import LocalNetworkAccess
import Observation
import Testing

// What the code below takes of a user interface's library.
@propertyWrapper private struct State<Value> {
    var wrappedValue: Value
}

@MainActor private protocol View {}

@MainActor private struct Shown: View {
    let text: String
    let action: () -> Void
}

@MainActor private func Label(_ text: String, systemImage: String) -> String { text }

@MainActor
private func Button(_ text: String, action: @escaping () -> Void) -> Shown {
    Shown(text: text, action: action)
}

@MainActor
private func ContentUnavailableView(_ label: () -> String, actions: () -> Shown) -> Shown {
    Shown(text: label(), action: actions().action)
}

@MainActor private func DeviceList() -> Shown { Shown(text: "devices") {} }

private struct DevicesView: View {
    @State private var localNetwork = LocalNetworkAccessMonitor()

    var body: some View {
        switch localNetwork.status {
        case .notDetermined:
            ContentUnavailableView {
                Label("Find Devices", systemImage: "tv")
            } actions: {
                Button("Continue") { Task { await localNetwork.request() } }
            }
        case .denied:
            Button("Allow Local Network Access in Settings") { localNetwork.openSettings() }
        default:
            DeviceList()
        }
    }
}

@Suite("Code for Apple's systems")
struct SeedPageTests {
    @Test("it compiles, and a view shows something")
    @MainActor
    func view() {
        let view = DevicesView()
        #expect((view.body as? Shown)?.text.isEmpty == false)
    }

    @Test("the static names are there")
    func names() async {
        for issue in LocalNetworkAccess.configurationIssues(bonjourServices: ["_googlecast._tcp"]) {
            Issue.record("\(issue.description)")
        }
        LocalNetworkAccess.markAsRequested()
        let last: LocalNetworkAccessStatus? = LocalNetworkAccess.lastKnownStatus
        #expect(last != .notDetermined)
        let status = await LocalNetworkAccess.status()
        for await update in LocalNetworkAccess.statusUpdates() {
            #expect(LocalNetworkAccessStatus.allCases.contains(update))
            break
        }
        #expect(LocalNetworkAccessStatus.allCases.contains(status))
        #expect(LocalAddress.isLocal("printer.local"))
    }
}
