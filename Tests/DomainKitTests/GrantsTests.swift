import DomainKit
import Testing

@Suite struct GrantsTests {
    private static let driver = Role("driver", subject: "trucks")
    private static let buyer = Role("buyer")

    @Test func `a list of roles grants every row to each of them`() {
        let grants: Grants = [.user, .admin]
        #expect(grants[.user] == .every)
        #expect(grants[.admin] == .every)
        #expect(grants[Self.driver] == nil)
        #expect(grants.roles == [.user, .admin])
        #expect(Grants(Role.base) == grants)
    }

    @Test func `a dictionary says how far the right of each role reaches`() {
        let grants: Grants = [.admin: .every, Self.driver: .own("truck_id")]
        #expect(grants[.admin] == .every)
        #expect(grants[Self.driver] == .own("truck_id"))
        #expect(grants[.user] == nil)
    }

    @Test func `an intersection keeps the reaches of the first grants`() {
        let creators: Grants = [.admin: .every, Self.driver: .own("truck_id"), Self.buyer: .every]
        let both = creators.intersection([.admin, Self.driver])
        #expect(both == [.admin: .every, Self.driver: .own("truck_id")])
        #expect(creators.intersection([]).isEmpty)
        #expect(!both.isEmpty)
    }

    @Test func `access tells the reach of a role for each operation`() {
        let access = Access(
            read: [.admin: .every, Self.driver: .own("truck_id")], create: [.admin], update: [Self.driver: .own("id")],
            delete: [])
        #expect(access.reach(of: Self.driver, for: .read) == .own("truck_id"))
        #expect(access.reach(of: Self.driver, for: .update) == .own("id"))
        #expect(access.reach(of: Self.driver, for: .create) == nil)
        #expect(access.allows(.read, to: Self.driver) && !access.allows(.delete, to: .admin))
        #expect(access.roles(for: .read) == [.admin, Self.driver])
    }

    @Test func `two roles of one name are the same, and each has a database role of its own`() {
        #expect(Role("driver") == Self.driver)
        #expect(Set([Role("driver"), Self.driver]).count == 1)
        #expect(Self.driver.databaseRole == "learntrack_driver")
    }

    @Test func `the roles of several domains are each listed once, in their order`() {
        let domains = [
            Domain(name: "a", entities: []), Domain(name: "b", roles: [.admin, Self.driver], entities: []),
        ]
        #expect(domains.roles == [.admin, .user, Self.driver])
    }
}
