import TestSupport
import Testing

@testable import HTTPServer

@Suite struct ConnectionRegistryTests {
    /// What a connection's callback refers to.
    private final class Callback: Sendable {
        func call() {}
    }

    @Test func `what ends a connection is forgotten when it has closed, although its claims are still in use`() {
        let registry = ConnectionRegistry(HTTPConfiguration())
        weak var held: Callback?
        func open() -> RegisteredConnection {
            let callback = Callback()
            held = callback
            return registry.open(AddressShare("192.0.2.1"), isBounded: true) { _ in callback.call() }
        }
        let connection = open()
        #expect(held != nil)
        let claim = MemoryBudget.Claim(connection: connection.id, address: connection.address, isAnonymous: false)
        #expect(registry.reserve(20_000, .unsent, for: claim))
        registry.close(connection)
        #expect(held == nil)
        #expect(registry.bytesHeld(.unsent) == 0)
        registry.release(20_000, .unsent, of: claim)
        #expect(registry.bytesHeld(.unsent) == 0)
        withExtendedLifetime(connection) {}
    }

    @Test func `the idlest connection of an address gives way to a newcomer`() {
        var configuration = HTTPConfiguration()
        configuration.maxConnections = 2
        configuration.maxConnectionsPerAddress = 1
        let registry = ConnectionRegistry(configuration)
        let reasons = EventRecorder<String>()
        let connections = (1...2).map { number in
            registry.open(AddressShare("192.0.2.1"), isBounded: true) { reasons.record("\(number) \($0)") }
        }
        #expect(reasons.all == ["1 place"])
        for connection in connections { registry.close(connection) }
        #expect(registry.count == 0)
    }
}
