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
                nullif(current_setting('learntrack.answered', true), '')::bigint))
                """)
        #expect(
            plan.statements[2].statement.text.hasSuffix("current_setting('learntrack.answered', true), '')::bigint"))
        #expect(plan.readAgain?.plan(id: "9").query.parameters == ["9"])
    }

    @Test func `records are read in the order of their ids`() throws {
        let plan = try plan(.many(Sample.sessions, atMost: 60), ["select": "{ module }"])
        #expect(plan.statements[2].statement.text.contains("\nORDER BY array_position("))
        let again = try #require(plan.readAgain?.plan(id: "{2,1}").query)
        #expect(again.statement.text.hasSuffix(" t0 ON t0.id = listed.id\nORDER BY listed.place"))
        #expect(again.statement.text.contains("unnest($1::bigint[])"))
        #expect(again.parameters == ["{2,1}"])
        #expect(plan.cost.rows >= 60)
    }

    @Test func `a reference takes the place of an id only`() throws {
        let plan = try plan(nil, [:], WriteMode(keepsID: true, references: ["7": 3, "a": 2]))
        #expect(plan.statements[0].statement.text.contains("stock.reserve(kernel.answered($1::integer), $2::text,"))
        #expect(plan.statements[0].parameters == ["3", "a", nil])
        #expect(plan.usedReferences.map(\.digits) == ["7"])
    }

    @Test func `a wrong selection is a problem`() {
        #expect(throws: PlanError.self) { try plan(.one(Sample.sessions), ["select": "{ nope }"]) }
    }
}
