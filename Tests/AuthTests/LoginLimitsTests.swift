import Testing

@testable import Auth

@Suite("Limits for guessing")
struct LoginLimitsTests {
    private let clock = TestClock()

    private func limits(capacity: Int = 1000) -> LoginLimits {
        LoginLimits(capacity: capacity) { [clock] in clock.now }
    }

    @Test("The tenth failure of an account makes the next attempt wait a second, then two, then four, a minute at most")
    func account() {
        let limits = limits()
        for _ in 1...9 { limits.failed(email: "anne@exemple.fr", address: nil) }
        #expect(limits.delay(email: "anne@exemple.fr", address: nil) == nil)
        for expected in [1, 2, 4, 8, 16, 32, 60, 60] {
            limits.failed(email: "Anne@Exemple.fr", address: nil)
            #expect(limits.delay(email: "anne@exemple.fr", address: "192.0.2.1") == expected)
            #expect(limits.delay(email: "paul@exemple.fr", address: "192.0.2.1") == nil)
            clock.advance(Double(expected))
            #expect(limits.delay(email: "anne@exemple.fr", address: nil) == nil)
        }
        limits.succeeded(email: "ANNE@exemple.fr")
        limits.failed(email: "anne@exemple.fr", address: nil)
        #expect(limits.delay(email: "anne@exemple.fr", address: nil) == nil)
    }

    @Test("Fifty failures from one address slow that address down, whatever the accounts; IPv6 counts by network")
    func address() {
        let limits = limits()
        for number in 1...49 {
            limits.failed(email: "\(number)@exemple.fr", address: "192.0.2.1")
            limits.failed(email: "\(number)@exemple.com", address: "2001:db8:1:2::\(number)")
        }
        #expect(limits.delay(email: "x", address: "192.0.2.1") == nil)
        limits.failed(email: "50@exemple.fr", address: "192.0.2.1")
        limits.failed(email: "50@exemple.com", address: "2001:db8:1:2:ffff::1")
        #expect(limits.delay(email: "x", address: "192.0.2.1") == 1)
        #expect(limits.delay(email: "x", address: "192.0.2.2") == nil)
        #expect(limits.delay(email: "x", address: "2001:0db8:0001:0002::abcd") == 1)
        #expect(limits.delay(email: "x", address: "2001:db8:1:3::1") == nil)
        #expect(limits.delay(email: "x", address: nil) == nil)
    }

    @Test("A quarter of an hour without failures forgets them")
    func forgets() {
        let limits = limits()
        for _ in 1...12 { limits.failed(email: "anne@exemple.fr", address: nil) }
        clock.advance(901)
        limits.failed(email: "anne@exemple.fr", address: nil)
        #expect(limits.delay(email: "anne@exemple.fr", address: nil) == nil)
    }

    @Test("A flood of names takes bounded memory and does not wash away who was tried most")
    func bounded() {
        let limits = limits(capacity: 100)
        for _ in 1...20 { limits.failed(email: "anne@exemple.fr", address: nil) }
        for number in 0..<1000 { limits.failed(email: "\(number)@exemple.fr", address: nil) }
        #expect(limits.delay(email: "anne@exemple.fr", address: nil) != nil)
    }
}
