import LinuxNetworking
import NetworkPrimitives
import PeerProtocol
import PeerSession
import ProcessSupport
import TestSupport
import Testing

/// A folder for the time of a test.
struct TemporaryFolder {
    static func with(_ body: (String) async throws -> Void) async throws {
        let path = "/tmp/vicinity-peers-\(UInt64.random(in: 0 ... .max))"
        try SystemFile.createDirectory(path)
        do {
            try await body(path)
        } catch {
            try await remove(path)
            throw error
        }
        try await remove(path)
    }

    private static func remove(_ path: String) async throws {
        try await run("chmod -R u+rwx \(path); rm -r \(path)")
    }

    @discardableResult
    static func run(_ script: String) async throws -> String {
        let outcome = try await ChildProcess.run(
            ChildCommand("/bin/sh", ["-e", "-c", script], limit: .seconds(20)))
        try #require(outcome.status.isSuccess, "\(script): \(outcome.errorText)")
        return outcome.text
    }
}

@Suite("The store of a device", .timeLimit(.minutes(10)))
struct PeerStoreTests {
    private func description(_ name: String = "Anna") throws -> PeerDescription {
        let key = try #require(DeviceKey([UInt8](repeating: 7, count: 32)))
        return PeerDescription(
            identity: PeerIdentity(key: key, id: PeerID(rawValue: 1)),
            run: RunNumber(rawValue: 2), name: try PeerName(name))
    }

    @Test("The key and whom it trusts are there again, for the user alone")
    func persists() async throws {
        try await TemporaryFolder.with { folder in
            let place = PeerStoreLocation.directory("\(folder)/a/b")
            let first = try await PeerStore.open(place)
            #expect(!first.isEphemeral)
            let peer = try description()
            let isStored = try await first.change {
                $0.apply(.new(.person), to: peer, at: 10)
            }
            #expect(isStored)
            let second = try await PeerStore.open(place)
            #expect(second.key == first.key)
            let entry = try #require(try await second.trust()[peer.identity.key])
            #expect(entry.level == .trusted && entry.names == [peer.name])
            let modes = try await TemporaryFolder.run("cd \(folder)/a/b; stat -c '%a %n' . *")
            #expect(modes == "700 .\n600 device-key\n600 lock\n600 trust\n")
        }
    }

    @Test("Programs that use one folder at once lose nothing of each other")
    func shared() async throws {
        try await TemporaryFolder.with { folder in
            let place = PeerStoreLocation.directory("\(folder)/state")
            // Of two that make a key at once, both get the same one.
            async let one = PeerStore.open(place)
            async let two = PeerStore.open(place)
            let stores = try await [one, two]
            #expect(stores[0].key == stores[1].key)
            try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        let key = try #require(
                            DeviceKey([UInt8](repeating: UInt8(number), count: 32)))
                        try await stores[number % 2].change {
                            _ = $0.set(.trusted, for: key, basis: .person, at: 1)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await stores[0].trust().entries.count == 20)
            #expect(try await stores[1].trust() == stores[0].trust())
        }
    }

    @Test("A damaged file is told with its place and left as it is", arguments: [true, false])
    func damage(_ isKey: Bool) async throws {
        try await TemporaryFolder.with { folder in
            let place = PeerStoreLocation.directory("\(folder)/state")
            let store = try await PeerStore.open(place)
            let peer = try description()
            try await store.change { _ = $0.apply(.new(.person), to: peer, at: 1) }
            let path = "\(folder)/state/\(isKey ? "device-key" : "trust")"
            var bytes = try SystemFile.read(path)
            bytes[20] ^= 1
            try SystemFile.write(bytes.span, to: path, permissions: 0o600)
            let error = await #expect(throws: PeerStoreError.self) {
                _ = try await PeerStore.open(place)
            }
            #expect(error?.description.hasPrefix("\(path) is damaged") == true)
            if !isKey {
                #expect(error?.description.contains("line 2, byte 17") == true)
                // One that is open already does not overwrite it either.
                await #expect(throws: PeerStoreError.self) {
                    try await store.change { _ = $0.forget(peer.identity.key) }
                }
            }
            #expect(try SystemFile.read(path) == bytes)
        }
    }

    @Test("A folder that others may enter is not used")
    func open() async throws {
        try await TemporaryFolder.with { folder in
            try await TemporaryFolder.run("chmod 755 \(folder)")
            let error = await #expect(throws: PeerStoreError.self) {
                _ = try await PeerStore.open(.directory(folder))
            }
            #expect(error?.description.contains("chmod go= \(folder)") == true)
        }
    }

    @Test("Where nothing can be written the store is ephemeral and says why")
    func readOnly() async throws {
        // Where nobody makes a folder, not even root.
        let store = try await PeerStore.open(.directory("/sys/vicinity-test"))
        #expect(store.isEphemeral)
        #expect(store.ephemeralReason?.contains("/sys/vicinity-test") == true)
        let peer = try description()
        let isStored = try await store.change { $0.apply(.new(.person), to: peer, at: 1) }
        #expect(isStored)
        #expect(try await store.trust()[peer.identity.key] != nil)
        #expect(try await store.trust().isEphemeral)
        #expect(try await PeerStore.open(.directory("/sys/vicinity-test")).key != store.key)
    }

    @Test("An ephemeral store has another key each time")
    func ephemeral() async throws {
        let one = try await PeerStore.open(.ephemeral)
        let two = try await PeerStore.open(.ephemeral)
        #expect(one.key != two.key)
        #expect(one.isEphemeral && one.ephemeralReason != nil)
    }

    @Test(
        "The place follows the environment",
        arguments: [
            (["XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/vicinity"),
            (["HOME": "/h"], "/h/.local/state/vicinity"),
            (["XDG_STATE_HOME": "relative", "HOME": "/h"], "/h/.local/state/vicinity"),
            (["XDG_STATE_HOME": "", "HOME": ""], nil),
            ([:], nil),
        ] as [([String: String], String?)])
    func place(_ environment: [String: String], _ path: String?) {
        #expect(PeerStoreLocation.standard.path { environment[$0] } == path)
        #expect(PeerStoreLocation.directory("/x").path { environment[$0] } == "/x")
        #expect(PeerStoreLocation.ephemeral.path { environment[$0] } == nil)
    }
}
