import Glibc
import OutgoingHTTP
import Testing

struct OutgoingHTTPClientTests {
    /// A socket that listens on loopback, whose connections nobody reads.
    private final class SilentListener {
        let descriptor: Int32
        let port: Int

        init() throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            let isBound = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
                }
            }
            try #require(isBound && listen(descriptor, 8) == 0)
            port = Int(UInt16(bigEndian: address.sin_port))
        }

        deinit { close(descriptor) }
    }

    @Test func `a request whose permission to depart comes too late was not sent`() async throws {
        let listener = try SilentListener()
        let client = OutgoingHTTPClient(OutgoingHosts(named: ["127.0.0.1:\(listener.port)"]), timeout: 1)
        let target = try client.hosts.target("http://127.0.0.1:\(listener.port)/")
        let late = await #expect(throws: OutgoingRequestError.self) {
            _ = try await client.send("POST", to: target, headers: [], body: []) {
                do { try await Task.sleep(for: .seconds(2)) } catch {}
                return true
            }
        }
        #expect(late?.kind == .notSent)
        // One that was sent, and has no answer, may have been taken.
        let patient = OutgoingHTTPClient(client.hosts, timeout: 5)
        let lost = await #expect(throws: OutgoingRequestError.self) {
            _ = try await patient.send("POST", to: target, headers: [], body: [])
        }
        #expect(lost?.kind == .lost)
    }
}
