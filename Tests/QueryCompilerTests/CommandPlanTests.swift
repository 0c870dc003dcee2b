import DomainKit
import JSON
import QueryCompiler
import Testing

/// The statements of a command.
struct CommandPlanTests {
    private let planner = Sample.planner()

    private func plan(
        _ records: CommandRecords?, _ params: JSONObject = [:], _ mode: WriteMode = WriteMode()
    ) throws -> CommandPlan {
        try planner.command(
            "stock.reserve",
            [CommandArgument(.bigint, "7"), CommandArgument(.choice(["a"]), "a"), CommandArgument(.json(nil), nil)],
            answering: records, params, mode)
    }

    @Test func `the function is called with all arguments in order, by the SQL types of their columns`() throws {
        let call = try plan(nil).statements
        #expect(call.count == 1)
        #expect(
            call[0].statement.text
                == """
                SELECT set_config('learntrack.answered', stock.reserve($1::bigint, $2::text, $3::jsonb)::text, true)
                """)
        #expect(call[0].parameters == ["7", "a", nil])
    }

    @Test func `the records that a call names are read first, with the columns that must be the subject`() throws {
        let planner = try #require(
            Planner.planners(for: [.admin, Lending.reader], domains: [Lending.domain])[Lending.reader])
        let named = Command(
            name: "loans.extend", summary: "",
            parameters: [
                Column("loan", .bigint, nullable: false, of: "loans", summary: ""),
                Column("books", .json(.list(of: .bigint, count: 0...9)), of: "books", summary: ""),
                Column("reader", .bigint, of: "readers", summary: ""),
            ], function: "public.extend", answers: .nothing, roles: [Lending.reader: .own("reader_id")])
        let records = zip(named.parameters, [77, [5, 6], .null] as [JSONValue]).flatMap {
            named.namedRecords(by: $0, $1)
        }
        #expect(records.map(\.path) == ["/loan", "/books/0", "/books/1"])
        #expect(named.ownColumn(of: Lending.loans, for: Lending.reader) == "reader_id")
        #expect(named.ownColumn(of: Lending.books, for: Lending.reader) == nil)
        #expect(named.ownColumn(of: Lending.loans, for: .admin) == nil)
        let plan = try planner.command(
            "public.extend", [CommandArgument(.bigint, "77", namingRecordOf: "loans")], naming: records,
            ownColumns: ["books": "lender_id"], answering: nil, [:],
            WriteMode(references: ["77": 2]))
        #expect(plan.statements.count == 2 && plan.functionIndex == 1)
        #expect(
            plan.statements[0].parameters == [
                #"[{"call":2,"place":0,"path":"/loan"},{"id":5,"place":1,"path":"/books/0"},"#
                    + #"{"id":6,"place":1,"path":"/books/1"}]"#
            ])
        #expect(
            plan.statements[0].statement.text
                == """
                SELECT kernel.no_record(n.id, n.path)
                FROM (
                SELECT coalesce(r.id, kernel.answered(r.call)) AS id, r.place, r.path
                FROM jsonb_to_recordset($1::jsonb) AS r(id bigint, call integer, place integer, path text)
                ) n
                WHERE CASE n.place \
                WHEN 0 THEN (SELECT t0.id FROM loans t0 WHERE t0.id = n.id AND t0.company_id = $2::bigint AND t0.reader_id = kernel.subject()) IS NULL \
                WHEN 1 THEN (SELECT t0.id FROM books t0 WHERE t0.id = n.id AND t0.company_id = $2::bigint AND t0.lender_id = kernel.subject()) IS NULL END
                """)
    }

    @Test func `calls of one command share their statements`() throws {
        let first = try plan(.one(Sample.sessions), ["select": "{ id }"])
        let second = try plan(.one(Sample.sessions), ["select": "{ id }"])
        #expect(first.statements.map(\.statement) == second.statements.map(\.statement))
    }

    @Test func `a record is checked and read by the id that the function has answered`() throws {
        let plan = try plan(.one(Sample.sessions), ["select": "{ module }"])
        #expect(plan.statements.count == 3)
        #expect(
            plan.statements[1].statement.text
                == """
                SELECT kernel.require_match(EXISTS (SELECT FROM sessions t0 WHERE t0.id = \
                nullif(current_setting('learntrack.answered', true), '')::bigint AND t0.company_id = $1::bigint))
                """)
        #expect(
            plan.statements[2].statement.text.hasSuffix(
                "current_setting('learntrack.answered', true), '')::bigint AND t0.company_id = $1::bigint"))
        #expect(plan.readAgain?.plan(id: "9").query.parameters == ["9"])
    }

    @Test func `records are read in the order of their ids`() throws {
        let plan = try plan(.many(Sample.sessions, atMost: 60), ["select": "{ module }"])
        #expect(plan.statements[2].statement.text.contains("\nORDER BY array_position("))
        let again = try #require(plan.readAgain?.plan(id: "{2,1}").query)
        #expect(
            again.statement.text.hasSuffix(
                " t0 ON t0.id = listed.id AND t0.company_id = $2::bigint\nORDER BY listed.place"))
        #expect(again.statement.text.contains("unnest($1::bigint[])"))
        #expect(again.parameters == ["{2,1}"])
        #expect(plan.cost.rows >= 60)
    }

    @Test func `a reference takes the place of an id only`() throws {
        let plan = try plan(nil, [:], WriteMode(references: ["7": 3, "a": 2]))
        #expect(plan.statements[0].statement.text.contains("stock.reserve(kernel.answered($1::integer), $2::text,"))
        #expect(plan.statements[0].parameters == ["3", "a", nil])
        #expect(plan.usedReferences.map(\.digits) == ["7"])
    }

    @Test func `a wrong selection is a problem`() {
        #expect(throws: PlanError.self) { try plan(.one(Sample.sessions), ["select": "{ nope }"]) }
    }
}
