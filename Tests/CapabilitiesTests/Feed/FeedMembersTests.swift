import Auth
import RPCServer
import Testing

@testable import Feed

/// Which listeners the feed knows.
struct FeedMembersTests {
    private typealias Members = FeedMembers<String>

    private static func member(_ listener: String, of account: Int64 = 1) -> Members.Member {
        let user = AuthenticatedUser(
            member: Member(company: 1, id: account), account: account, signInID: "", role: "user")
        return Members.Member(
            listener: listener, filter: ChangeFilter(company: .only, tables: [:]), caller: Caller(user: user),
            authorization: nil)
    }

    private static let cursor = ChangeCursor(timeline: 1, transaction: 7, change: 0)

    @Test func `listeners that come and go while the database is away leave nothing behind`() {
        var members = Members()
        for _ in 1...1_000 {
            let fresh = members.add(Self.member("fresh"), after: nil)
            let resuming = members.add(Self.member("resuming"), after: Self.cursor)
            members.remove(fresh)
            members.remove(resuming)
        }
        #expect(members.isEmpty)
        #expect(members.fresh.isEmpty)
        #expect(members.resuming.isEmpty)
        #expect(members.admitFresh() == [])
        #expect(members.takeResuming().isEmpty)
    }

    @Test func `the listeners that stay are admitted once, in their order`() {
        var members = Members()
        let listeners = ["a", "b", "c"].map { members.add(Self.member($0), after: nil) }
        let resuming = ["d", "e", "f"].map { members.add(Self.member($0), after: Self.cursor) }
        members.remove(listeners[1])
        members.remove(resuming[0])
        #expect(members.admitFresh() == ["a", "c"])
        #expect(members.takeResuming().map(\.member.listener) == ["e", "f"])
        #expect(members.admitFresh() == [])
        #expect(members.takeResuming().isEmpty)
        guard case .live(nil)? = members[listeners[0]]?.phase, case .joining? = members[resuming[1]]?.phase else {
            Issue.record("wrong phases")
            return
        }
    }

    @Test func `a newcomer takes the place of the newest listener of the account that has the most`() {
        var members = Members()
        for listener in ["a", "b", "c"] { _ = members.add(Self.member(listener, of: 1), after: nil) }
        let other = members.add(Self.member("d", of: 2), after: nil)
        #expect(members.newestOfLargestAccount == "c")
        #expect(members.hasPlace(for: 2, among: 4))
        #expect(!members.hasPlace(for: 1, among: 4))
        members.remove(other)
        #expect(members.hasPlace(for: 1, among: 4))
    }
}
