// The example of peers in README.md, compiled. A test sees to it that it is the same.
import PeerSession

func sendMove() async throws {
    // A person says whether to trust a stranger; nobody is accepted unasked.
    let session = try await PeerSession(
        PeerSessionOptions(
            name: PeerName("Anna's desk"), service: ServiceType("_moves._tcp"),
            ask: { question in
                print("trust \(question.peer.name), \(question.peer.identity.key.fingerprint)?")
                return readLine() == "yes" ? .always : .no
            }))
    try await session.advertise()
    try await session.browse()
    for await found in await session.foundUpdates() {
        guard let peer = found.first else { continue }
        // The other application accepts or declines, by `session.invitations`.
        let connection = try await session.invite(peer)
        try await connection.send(Array("e4".utf8))
        for try await message in connection.messages {
            print(connection.peer.name, "answers with", message.bytes.count, "bytes")
        }
        break
    }
    await session.close()
}
