import DomainKit
import Testing

@Suite struct `A mistyped name is answered with the nearest one` {
    let names = ["id", "name", "email", "phone", "postcode", "price_total", "price_net", "created_at"]

    @Test(arguments: [
        ("nmae", "name"), ("nam", "name"), ("names", "name"), ("Name", "name"), ("e-mail", "email"), ("emial", "email"),
        ("phon", "phone"), ("post_code", "postcode"), ("createdAt", "created_at"), ("price", "price_total"),
        ("price_nett", "price_net"), ("idd", "id"),
    ])
    func `Near names are found`(typed: String, name: String) {
        #expect(names.nearest(to: typed) == name)
    }

    @Test(arguments: ["", "zz", "xyz", "surface", "x"])
    func `Nothing is suggested for what is far from all`(typed: String) {
        #expect(names.nearest(to: typed) == nil)
    }

    @Test func `A very long name costs nothing and suggests nothing`() {
        #expect(names.nearest(to: String(repeating: "name", count: 100_000)) == nil)
    }

    @Test func `Of two equally near the first is taken`() {
        #expect(["cat", "car"].nearest(to: "cas") == "cat")
    }

    @Test(arguments: [("ge", "gte"), ("le", "lte"), ("g", "gt"), ("not", "not"), ("ilik", "ilike")])
    func `Of several equally near the one that only has letters more is taken`(typed: String, name: String) {
        let operators = ["eq", "ne", "lt", "lte", "gt", "gte", "in", "nin", "like", "ilike", "not"]
        #expect(operators.nearest(to: typed) == name)
    }
}
