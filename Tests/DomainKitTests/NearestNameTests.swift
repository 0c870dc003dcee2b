import DomainKit
import JSON
import Testing

@Suite struct NearestNameTests {
    let names = ["id", "name", "email", "phone", "postcode", "price_total", "price_net", "created_at"]

    @Test(arguments: [
        ("nmae", "name"), ("nam", "name"), ("names", "name"), ("Name", "name"), ("e-mail", "email"), ("emial", "email"),
        ("phon", "phone"), ("post_code", "postcode"), ("createdAt", "created_at"), ("price", "price_total"),
        ("price_nett", "price_net"), ("idd", "id"),
    ])
    func `a misspelled name finds the name that was meant`(typed: String, name: String) {
        #expect(names.nearest(to: typed) == name)
    }

    @Test(arguments: ["", "zz", "xyz", "surface", "x"])
    func `a name that is far from all has no suggestion`(typed: String) {
        #expect(names.nearest(to: typed) == nil)
    }

    @Test func `a very long name has no suggestion`() {
        #expect(names.nearest(to: String(repeating: "name", count: 100_000)) == nil)
    }

    @Test func `of two equally near names the first is suggested`() {
        #expect(["cat", "car"].nearest(to: "cas") == "cat")
    }

    @Test(arguments: [("ge", "gte"), ("le", "lte"), ("g", "gt"), ("not", "not"), ("ilik", "ilike")])
    func `of several equally near names one that contains all typed letters is suggested`(typed: String, name: String) {
        let operators = ["eq", "ne", "lt", "lte", "gt", "gte", "in", "nin", "like", "ilike", "not"]
        #expect(operators.nearest(to: typed) == name)
    }
}
