// The examples of README.md, compiled. A test sees to it that they are the same.
import MDNS

func showWebServers() async throws {
    let node = try await MDNSNode()
    for await event in try await node.browse(ServiceType("_http._tcp"), within: .seconds(5)) {
        switch event {
        case .added(let found): print("+", found.name.instance)
        case .changed(let found): print("~", found.name.instance)
        case .removed(let found): print("-", found.name.instance)
        case .incomplete: print("there are more than can be kept")
        }
    }
    await node.close()
}

func address(ofPrinter name: String, on node: MDNSNode) async throws -> SocketAddress? {
    let printer = try ServiceInstanceName(name, type: ServiceType("_ipp._tcp"))
    guard let service = try await node.resolve(printer, within: .seconds(3)) else { return nil }
    print(service.host, service.port, service.txt["rp"]?.text ?? "no queue")
    return service.socketAddresses.first
}

func offerWebServer(on node: MDNSNode) async throws -> RegistrationHandle {
    let registration = try await node.register(
        ServiceDescription(
            name: "My Web Server", type: ServiceType("_http._tcp"), port: 8080,
            txt: TXTRecord([.init("path", .text("/"))])))
    // If the name is taken, another is chosen: this is the one in use.
    print("offered as", try await registration.established())
    return registration
}

func webServer(_ type: String, on node: MDNSNode) async -> RegistrationHandle? {
    do {
        let service = try ServiceDescription(
            name: "My Web Server", type: ServiceType(type), port: 8080,
            renamesOnConflict: false)
        let registration = try await node.register(service)
        _ = try await registration.established()
        return registration
    } catch let error as MDNSError where error.code == .nameTaken {
        print("somebody else has that name")
    } catch {
        print(error)
    }
    return nil
}
