import DomainKit
import JSON
import Testing

@testable import QueryCompiler

/// Views: entities whose records an SQL function computes for the parameters of a call.
struct ViewTests {
    private static let overdue = Entity(
        name: "overdue",
        source: .function(
            "overdue_loans",
            [
                Column("since", .date, nullable: false, summary: ""), Column("order", .integer, summary: ""),
                Column("note", .text(maxLength: 200), summary: ""),
            ]),
        noun: Noun("retard", plural: "retards", feminine: false),
        columns: [
            .id, Column("loan_id", .bigint, nullable: false, summary: ""),
            Column("reader_id", .bigint, nullable: false, summary: ""),
            Column("days", .integer, nullable: false, summary: ""),
        ],
        relations: [Relation("loan", to: "loans", .toOne(column: "loan_id"), summary: "")],
        search: nil, defaultOrder: [OrderTerm("days", descending: true)],
        access: Access(
            read: [.admin: .every, Lending.reader: .own("reader_id")], create: [], update: [], delete: []))

    private static let domains = [
        Lending.domain,
        Domain(name: "delays", roles: [.admin, Lending.reader], entities: [overdue]),
    ]
    private let planner = Planner(domains: Self.domains)

    private static let since: [String: JSONValue] = ["since": "2026-01-12"]

    private func list(_ params: JSONObject, _ arguments: [String: JSONValue] = Self.since) throws -> ListPlan {
        try planner.list(Self.overdue, params, arguments: arguments)
    }

    @Test func `a list reads the function with the given parameters by name`() throws {
        let query = try list(
            ["where": ["days": ["gt": 3]], "select": "{ days loan { note } }", "first": 2]
        ).query
        #expect(
            query.statement.text == """
                SELECT * FROM (
                SELECT t0.days AS c0, t1.id AS c1, t1.note AS c2, t0.id AS c3
                FROM delays.overdue_loans(since => $1::date) t0
                LEFT JOIN loans t1 ON t1.id = t0.loan_id AND t1.company_id = $4::bigint
                WHERE t0.days > $2::integer
                ORDER BY t0.days DESC, t0.id
                LIMIT 4
                ) t2
                LIMIT $3::bigint
                """)
        #expect(query.parameters == ["2026-01-12", "3", "3"])
        #expect(query.statement.prefersCustomPlan)
    }

    @Test func `an aggregate reads the function with the given parameters by name`() throws {
        let query = try planner.aggregate(
            Self.overdue, ["group_by": ["loan.book_id"], "select": "{ count sum { days } }"],
            arguments: ["since": "2026-01-12", "order": 4]
        ).query
        #expect(
            query.statement.text == """
                SELECT t1.book_id AS c0, count(*) AS c1, coalesce(sum(t0.days), 0) AS c2
                FROM delays.overdue_loans(since => $1::date, "order" => $2::integer) t0
                LEFT JOIN loans t1 ON t1.id = t0.loan_id AND t1.company_id = $4::bigint
                GROUP BY t1.book_id
                ORDER BY t1.book_id
                LIMIT $3::bigint
                """)
        #expect(query.parameters == ["2026-01-12", "4", "51"])
    }

    @Test func `parameters that are missing or null are left out, and share no statement with given ones`() throws {
        let missing = try list([:]).query
        let null = try list([:], ["since": "2026-01-12", "order": .null]).query
        let given = try list([:], ["since": "2026-01-12", "note": "a"]).query
        let other = try list([:], ["since": "2026-02-12", "note": "b"]).query
        #expect(missing.statement === null.statement)
        #expect(given.statement === other.statement)
        #expect(given.statement !== missing.statement)
        #expect(given.statement.text.contains("overdue_loans(since => $1::date, note => $2::text) t0"))
        #expect(other.parameters == ["2026-02-12", "b", "51"])
    }

    @Test func `the function stands wherever the view is read, after the parameters of the selection`() throws {
        let query = try list([
            "count": true, "where": ["loan": ["note": "a"]],
            "select": "{ loan { fines(where: {amount: {gt: 5}}) { amount } } }",
        ]).query
        #expect(query.parameters.prefix(2) == ["5", "2026-01-12"])
        #expect(query.statement.text.matches(of: /overdue_loans\(since => \$2::date\) t\d/).count == 2)
        #expect(!query.statement.text.contains("overdue t"))
    }

    @Test func `a page continues after a cursor of the same parameters only`() throws {
        let cursor = try list([:]).cursor.encode(columnTexts: ["9", "7"])
        let next = try list(["after": .string(cursor)]).query
        #expect(next.statement.text.contains("t0.days < $2::integer"), "\(next.statement.text)")
        #expect(next.parameters == ["2026-01-12", "9", "7", "51"])
        for arguments in [["since": "2026-01-13"], ["since": "2026-01-12", "order": 1]] as [[String: JSONValue]] {
            let found = problems { () throws(PlanError) in
                _ = try planner.list(Self.overdue, ["after": .string(cursor)], arguments: arguments)
            }
            #expect(found.map(\.path) == ["/after"])
            #expect(found.first?.message.contains("paramètres") == true)
        }
        let order = problems { () throws(PlanError) in
            _ = try planner.list(
                Self.overdue, ["after": .string(cursor), "order_by": ["days"]], arguments: Self.since)
        }
        #expect(order.map(\.path) == ["/after"])
    }

    @Test func `a role with a subject sees its own rows of a view, and of what it refers to`() throws {
        let reader = Planner(domains: Self.domains, for: Lending.reader)
        let text = try reader.list(
            Self.overdue, ["select": "{ loan { note } }"], arguments: Self.since
        ).query.statement.text
        #expect(text.contains("WHERE t0.reader_id = kernel.subject()"), "\(text)")
        #expect(
            text.contains("ON t1.id = t0.loan_id AND t1.company_id = $3::bigint AND t1.reader_id = kernel.subject()"),
            "\(text)")
    }

    @Test func `what a view refers to is not counted as a reference to it`() throws {
        let query = try #require(planner.references(to: Lending.loans, id: "5"))
        #expect(!query.statement.text.contains("overdue"))
    }
}
