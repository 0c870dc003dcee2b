import Crypto
import Synchronization
import TestSupport
import Testing
import TextEncodings

@testable import Auth

/// The form of access keys, and the keys in memory.
struct AccessKeyTests {
    @Test func `a key is lt_ and 256 random bits, of which the SHA-256 is stored`() throws {
        let key = AccessKey()
        #expect(key.text.hasPrefix("lt_"))
        #expect(key.text.utf8.count == 46)
        #expect(AccessKey(key.text) == key)
        #expect(AccessKey() != key)
        // From `head -c 32 /dev/zero | sha256sum`.
        let zeros = try #require(AccessKey("lt_" + String(repeating: "A", count: 43)))
        #expect(
            zeros.hash
                == HexText.bytes("66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"))
    }

    @Test(arguments: [
        "", "lt_", "lt_" + String(repeating: "A", count: 42), "lt_" + String(repeating: "A", count: 44),
        "LT_" + String(repeating: "A", count: 43), "lt_" + String(repeating: "A", count: 42) + "B",
        "lt_" + String(repeating: "A", count: 42) + "=", "lt_" + String(repeating: "+", count: 43),
        "lt_" + String(repeating: "é", count: 21) + "A", "lt-" + String(repeating: "A", count: 43),
    ])
    func `another form is not a key`(text: String) {
        #expect(AccessKey(text) == nil)
    }

    // MARK: Keys in memory

    private let clock = TestClock()

    private func key(_ id: Int64, version: Int64 = 1, isRevoked: Bool = false) -> StoredAccessKey {
        StoredAccessKey(
            id: id, hash: [UInt8(id)], member: Member(company: 1, id: 1), account: 1,
            acting: HeldRole(role: "user", subject: nil), expiresAt: nil,
            isRevoked: isRevoked, version: version)
    }

    @Test func `a state that arrives late does not replace a newer one`() {
        let ring = AccessKeyRing { [clock] in clock.now }
        ring.set([key(1, version: 2, isRevoked: true)])
        ring.set([key(1)])
        #expect(ring[[1]]?.isRevoked == true)
        ring.setAll([key(1), key(2)])
        #expect(ring[[1]]?.isRevoked == true)
        #expect(ring[[2]] != nil)
    }

    @Test func `a key that a reading does not find is gone, also if an older result arrives later`() {
        let ring = AccessKeyRing { [clock] in clock.now }
        ring.set([key(1), key(2), key(3)])
        ring.set([key(2)], whichAreAllOf: [1, 2])
        #expect(ring[[1]] == nil)
        #expect(ring[[2]] != nil)
        #expect(ring[[3]] != nil)
        ring.set([key(1)])
        #expect(ring[[1]] == nil)
        ring.setAll([key(2)])
        #expect(ring[[3]] == nil)
    }

    @Test func `announced keys are read next, and all keys if announcements may be lost or a reading failed`() {
        let ring = AccessKeyRing { [clock] in clock.now }
        func announced() -> Set<Int64>? {
            if case .announced(let ids) = ring.takeDemand() { ids } else { nil }
        }
        #expect(announced() == nil, "nothing was read yet")
        ring.announce(7)
        ring.announce(8)
        #expect(announced() == [7, 8])
        #expect(announced() == [])
        ring.returnDemand(.announced([7]))
        #expect(announced() == [7])
        ring.forgetCompleteness()
        #expect(announced() == nil)
        ring.returnDemand(.all)
        #expect(announced() == nil)
    }

    @Test func `uses of a key within a minute are written once`() {
        let ring = AccessKeyRing { [clock] in clock.now }
        ring.set([key(1), key(2)])
        for _ in 0..<5 { ring.noteUse(of: key(1)) }
        #expect(ring.takeUses() == [1])
        clock.advance(59)
        ring.noteUse(of: key(1))
        ring.noteUse(of: key(2))
        #expect(ring.takeUses() == [2])
        clock.advance(1)
        ring.noteUse(of: key(1))
        #expect(ring.takeUses() == [1])
        ring.returnUses([1])
        #expect(ring.takeUses() == [1])
    }

    @Test func `unknown keys are looked up ten at once and ten more each second`() {
        let budget = LookupBudget()
        let start = ContinuousClock.now
        func admitted(_ count: Int, at time: Duration) -> Int {
            (0..<count).count { _ in budget.admits(at: start + time) }
        }
        #expect(admitted(100, at: .zero) == 10)
        #expect(admitted(100, at: .milliseconds(500)) == 5)
        #expect(admitted(100, at: .seconds(60)) == 10)
    }

    @Test func `a key that is gone, revoked or changed is told, also when another one is added at the same time`() {
        let signal = WithdrawalSignal()
        let told = Mutex<[Withdrawal]>([])
        signal.observe { withdrawal in told.withLock { $0.append(withdrawal) } }
        let ring = AccessKeyRing(withdrawals: signal) { [clock] in clock.now }
        ring.setAll([key(1), key(2), key(3)])
        #expect(told.withLock { $0 } == [])
        ring.setAll([key(2), key(3), key(4)])
        ring.set([key(2, version: 2, isRevoked: true), key(5)])
        ring.set([key(3, version: 2)])
        ring.set([key(4)])
        #expect(told.withLock { $0 } == [.accessKeys([1]), .accessKeys([2]), .accessKeys([3])])
    }

    @Test func `a withdrawal concerns the callers of its account, sign-ins or keys alone`() {
        let token = AuthenticatedUser(member: Member(company: 1, id: 7), account: 7, signInID: "s", role: "user")
        let key = AuthenticatedUser(
            member: Member(company: 1, id: 7), account: 7, accessKeyID: 9, role: "user", additionalRoles: [])
        for (withdrawal, ofToken, ofKey): (Withdrawal, Bool, Bool) in [
            (.member(Member(company: 1, id: 7)), true, true), (.member(Member(company: 1, id: 9)), false, false),
            (.member(Member(company: 2, id: 7)), false, false), (.signIns(["s", "t"]), true, false),
            (.signIns(["t"]), false, false), (.accessKeys([9]), false, true), (.accessKeys([7]), false, false),
            (.company(1), true, true), (.company(7), false, false),
        ] {
            #expect(withdrawal.concerns(token) == ofToken && withdrawal.concerns(key) == ofKey, "\(withdrawal)")
        }
    }
}
