import Glibc
import TestSupport
import Testing

@Suite struct BrowserTests {
    @Test func `browser and driver end when the browser is released, also without being closed`() async throws {
        func group(isClosed: Bool) async throws -> pid_t {
            let browser = try await Browser()
            if isClosed { try await browser.close() }
            let group = try #require(try browser.processGroup)
            #expect(kill(-group, 0) == 0)
            return group
        }
        for isClosed in [true, false] {
            let group = try await group(isClosed: isClosed)
            try await eventually("the processes of the group \(group) end") { kill(-group, 0) != 0 }
        }
    }
}
