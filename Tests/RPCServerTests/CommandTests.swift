import DomainKit
import JSON
import QueryCompiler
import Testing

@testable import PostgresDriver
@testable import RPCServer

/// Commands that a domain declares, as methods.
@Suite struct CommandTests {
    static let pack = Command(
        name: "kits.pack", summary: "Remplit une mallette.",
        parameters: [
            Column("id", .bigint, nullable: false, summary: "Laquelle."),
            Column("parts", .json(.list(of: .integer, minimum: 1, count: 1...3)), nullable: false, summary: "Quoi."),
            Column("from", .date, summary: "Du."), Column("to", .date, summary: "Au."),
            Column("count", .integer, nullable: false, default: 1, minimum: 1, summary: "Combien."),
        ],
        function: "workshop.pack_kit", answers: .record(of: "kits"), roles: [.admin],
        rules: [
            Rule(constraint: "pack_period", columns: ["from", "to"], message: "Donnez une fin après le début.") {
                ($0["from"]?.text ?? "") < ($0["to"]?.text ?? "")
            },
            Rule(
                constraint: "pack_full", columns: [], message: "La mallette est pleine.",
                effect: .conflict(reason: "full"), holds: nil),
            Rule(constraint: "pack_known", columns: ["parts"], message: "Cette pièce n’existe pas.", holds: nil),
        ])

    private func counting(_ answers: Command.Answers, roles: Grants = [.admin]) -> Command {
        Command(
            name: "kits.count", summary: "Compte.", parameters: [], function: "workshop.count", answers: answers,
            roles: roles)
    }

    private func domain(_ commands: [Command]) -> Domain {
        Domain(name: "workshop", entities: Workshop.domain.entities, commands: commands)
    }

    private func method(_ command: Command = Self.pack) throws -> Method {
        let domain = domain([command])
        return try command.method(for: ServedRole.roles(of: domain), in: [domain])
    }

    /// The path of each problem.
    private func problems(_ params: JSONObject) throws -> [String] {
        let method = try method()
        let call = try Call.test(method, .admin)
        let outcome = Result { () throws(CallError) in try method.plan(.byName(params, duplicates: []), call) }
        guard case .failure(.params(let problems)) = outcome else { return [] }
        return problems.map(\.path)
    }

    @Test(
        arguments: [
            (["id": 1, "parts": [1]], []),
            (["id": 1, "parts": [1], "count": .null, "from": .null, "select": "{ id }"], []),
            ([:], ["/id", "/parts"]),
            (["id": "1", "parts": [1, 0, "x"], "count": 0], ["/id", "/parts/1", "/parts/2", "/count"]),
            (["id": 1, "parts": []], ["/parts"]), (["id": .null, "parts": [1]], ["/id"]),
            (["id": 1, "parts": [1], "from": "2026-02-01", "to": "2026-01-01"], ["/to"]),
            (["id": 1, "parts": [1], "values": [:]], ["/values"]),
        ] as [(JSONObject, [String])])
    func `parameters are checked like columns, at their own paths`(params: JSONObject, expected: [String]) throws {
        #expect(try problems(params) == expected)
    }

    @Test func `the function receives every parameter, with defaults and nulls`() throws {
        let method = try method()
        let call = try Call.test(method, .admin)
        let write = try method.write(["id": 5, "parts": [2, 1], "to": "2026-01-02"], call, WriteMode()).write
        let command = try #require(write as? CommandWrite)
        let arguments = command.plan.statements[0].parameters
        #expect(arguments == ["5", "[2,1]", nil, "2026-01-02", "1"])
        #expect(write.mustMatch && write.answeredEntity?.name == "kits")
    }

    @Test func `a parameter that Swift parses reaches the function in its other type, or is a problem at its path`()
        throws
    {
        let scan = Command(
            name: "kits.scan", summary: "",
            parameters: [Column("label", .text(maxLength: 40), nullable: false, summary: "")],
            parsed: [
                ParsedParameter("label", as: .bigint, message: "Donnez une étiquette.") { label in
                    label.text.flatMap { Int($0.dropFirst(4)) }.map { .integer($0) }
                }
            ], function: "public.scan", answers: .nothing, roles: [.admin])
        let method = try method(scan)
        let call = try Call.test(method, .admin)
        let write = try #require(
            try method.write(["label": "KIT-12"], call, WriteMode()).write as? CommandWrite)
        #expect(write.plan.statements[0].parameters == ["12"])
        #expect(scan.argumentTypes == [.bigint])
        do throws(CallError) {
            _ = try method.write(["label": "douze"], call, WriteMode())
            Issue.record("the label is accepted")
        } catch {
            guard case .params(let problems) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(problems == [Problem(path: "/label", code: .format, message: "Donnez une étiquette.")])
        }
    }

    @Test func `a reference stands for an id, in a parameter of that type`() throws {
        let method = try method()
        let call = try Call.test(method, .admin)
        let mode = WriteMode(references: ["77": 0])
        #expect(try method.write(["id": 77, "parts": [1]], call, mode).write.usedReferences.map(\.digits) == ["77"])
        #expect(try method.write(["id": 1, "parts": [77]], call, mode).write.usedReferences.isEmpty)
    }

    // MARK: Errors

    private func error(
        _ sqlState: String, _ constraint: String?, detail: String? = nil, hint: String? = nil,
        _ command: Command = Self.pack
    ) async throws -> ExecutionError {
        let method = try method(command)
        let call = try Call.test(method, .admin)
        let params: JSONObject = command.parameters.isEmpty ? [:] : ["id": 5, "parts": [2, 1]]
        let write = try method.write(params, call, WriteMode()).write
        let client = PostgresClient(PostgresClient.Configuration(connectionString: ""))
        let domain = domain([command])
        let roles = ServedRole.roles(of: domain)
        let executor = try Executor(
            databases: Databases(roles: [.user: client, .admin: client], accounts: client), domains: [domain],
            roles: roles, limits: EnvelopeLimits())
        let error = PostgresError(
            .server,
            server: ServerFields(
                severity: "ERROR", sqlState: sqlState, message: "secret", detail: detail, hint: hint,
                constraint: constraint))
        return await write.explain(error, in: WriteContext(executor: executor, database: client, call: call))
    }

    @Test func `a rule of the command is answered by its effect`() async throws {
        guard case .conflict("full", _, ["left": 0]) = try await error("23000", "pack_full", detail: #"{"left": 0}"#)
        else {
            Issue.record("no conflict")
            return
        }
        for (hint, path) in [("/parts/1", "/parts/1"), ("", "/parts"), ("/other", "/parts")] {
            guard case .invalidValues(let problems) = try await error("23000", "pack_known", hint: hint) else {
                Issue.record("not invalid")
                return
            }
            #expect(problems.map(\.path) == [path])
        }
    }

    @Test func `then the rules of the answered entity count`() async throws {
        guard case .conflict("state", _, _) = try await error("23000", "kits_state", detail: "{}") else {
            Issue.record("no conflict")
            return
        }
        guard case .forbidden = try await error("23000", "kits_owner", detail: "{}") else {
            Issue.record("not forbidden")
            return
        }
        guard case .unexpected = try await error("23000", "kits_state", counting(.nothing)) else {
            Issue.record("a command without records has no entity")
            return
        }
    }

    @Test(
        arguments: [
            ("23000", "nope"), ("23514", "nope"), ("23505", "nope"), ("P0001", nil), ("22012", nil), ("42P01", nil),
            ("P0001", "pack_full"),
        ] as [(String, String?)])
    func `an error that nothing declares is one of the service`(sqlState: String, constraint: String?) async throws {
        guard case .unexpected = try await error(sqlState, constraint, detail: "{}") else {
            Issue.record("\(sqlState) is explained")
            return
        }
    }

    // MARK: Setup

    @Test func `a command cannot be served whose answer its roles may not read, or that does not exist`() throws {
        #expect(throws: RPCService.SetupError.noSuchEntity("boxes")) {
            try method(counting(.record(of: "boxes")))
        }
        #expect(throws: RPCService.SetupError.foreignRole("driver", entity: "kits.count")) {
            try method(counting(.nothing, roles: [Role("driver")]))
        }
        let secret = Entity(
            name: "secrets", noun: Noun("secret", plural: "secrets", feminine: false), columns: [.id], search: nil,
            defaultOrder: [OrderTerm("id")],
            access: Access(read: [.admin], create: [], update: [], delete: []))
        let command = counting(.records(of: "secrets"), roles: [.user])
        let domain = Domain(name: "safe", entities: [secret], commands: [command])
        #expect(throws: RPCService.SetupError.unreadableAnswer(role: "user", command: "kits.count")) {
            try command.method(for: ServedRole.roles(of: domain), in: [domain])
        }
    }

    @Test func `a parameter that names a record is the id of one that its roles may read`() throws {
        let secret = Entity(
            name: "secrets", noun: Noun("secret", plural: "secrets", feminine: false), columns: [.id], search: nil,
            defaultOrder: [OrderTerm("id")],
            access: Access(read: [.admin], create: [], update: [], delete: []))
        func serve(_ type: FieldType, of target: String, roles: Grants = [.admin]) throws {
            let command = Command(
                name: "secrets.tell", summary: "",
                parameters: [Column("which", type, nullable: false, of: target, summary: "")], function: "a.b",
                answers: .nothing, roles: roles)
            let domain = Domain(name: "safe", entities: [secret], commands: [command])
            _ = try command.method(for: ServedRole.roles(of: domain), in: [domain])
        }
        try serve(.bigint, of: "secrets")
        try serve(.json(.list(of: .bigint, count: 1...3)), of: "secrets")
        #expect(throws: RPCService.SetupError.noSuchEntity("boxes")) { try serve(.bigint, of: "boxes") }
        #expect(throws: RPCService.SetupError.noRecordID(parameter: "which", command: "secrets.tell")) {
            try serve(.integer, of: "secrets")
        }
        #expect(
            throws: RPCService.SetupError.unreadableParameter(
                role: "user", entity: "secrets", command: "secrets.tell")
        ) {
            try serve(.bigint, of: "secrets", roles: [.user])
        }
    }

    private static let driver = Role("driver", subject: "trucks")

    /// The error at the start of a service with trucks and their loads.
    private func setupError(
        _ access: Access, _ commands: [Command] = [], roles: [Role] = [.admin, driver]
    ) async throws -> RPCService.SetupError? {
        let noun = Noun("camion", plural: "camions", feminine: false)
        let id = [Column.id]
        let trucks = Entity(
            name: "trucks", noun: noun, columns: id, search: nil, defaultOrder: [OrderTerm("id")],
            access: Access(read: [.admin: .every, Self.driver: .own("id")], create: [], update: [], delete: []))
        let loads = Entity(
            name: "loads", noun: noun,
            columns: id + ["truck_id", "sender_id"].map { Column($0, .bigint, nullable: false, summary: "") },
            search: nil, defaultOrder: [OrderTerm("id")], access: access)
        let domain = Domain(name: "freight", roles: roles, entities: [trucks, loads], commands: commands)
        do {
            _ = try await Bookshop.service(domain)
            return nil
        } catch let error as RPCService.SetupError {
            return error
        }
    }

    @Test func `a role does not create or update rows that it may not read`() async throws {
        let own: Grants = [.admin: .every, Self.driver: .own("truck_id")]
        let every: Grants = [.admin, Self.driver]
        let sender: Grants = [Self.driver: .own("sender_id")]
        func error(_ create: Grants, _ update: Grants, reading: Grants) async throws -> RPCService.SetupError? {
            try await setupError(Access(read: reading, create: create, update: update, delete: []))
        }
        func unreadable(_ operation: DomainKit.Operation) -> RPCService.SetupError {
            .unreadableWrite(operation, role: "driver", entity: "loads")
        }
        let created = try await error(every, [], reading: own)
        #expect(created == unreadable(.create))
        let description = created?.description ?? ""
        #expect(description.contains("driver") && description.contains("loads"))
        let updated = try await error(own, every, reading: own)
        #expect(updated == unreadable(.update))
        let others = try await error(sender, [], reading: own)
        #expect(others == unreadable(.create))
        // The service of this test has no database for the role, which is looked at later.
        for (create, update, reading) in [
            (own, own, own), (own, own, every), (every, every, every), (own, sender, own),
        ] {
            let served = try await error(create, update, reading: reading)
            #expect(served == .noDatabase(role: "driver"))
        }
    }

    @Test func `a command of own rows has a parameter that every call gives and that names one`() async throws {
        let read = Access(
            read: [.admin: .every, Self.driver: .own("truck_id")], create: [], update: [], delete: [])
        func error(
            _ parameters: [Column], _ reach: Reach, role: Role = Self.driver
        ) async throws -> RPCService.SetupError? {
            let command = Command(
                name: "loads.drop", summary: "", parameters: parameters, function: "a.b", answers: .nothing,
                roles: [role: reach])
            return try await setupError(read, [command], roles: [.admin, Self.driver, Role("guest")])
        }
        let load = Column("id", .bigint, nullable: false, of: "loads", summary: "")
        let optional = Column("other", .bigint, of: "loads", summary: "")
        let truck = Column("truck", .bigint, nullable: false, of: "trucks", summary: "")
        let unnamed = Column("id", .bigint, nullable: false, summary: "")
        let list = Column("ids", .json(.list(of: .bigint, count: 1...3)), nullable: false, of: "loads", summary: "")
        for (parameters, reach) in [
            ([load], .own("truck_id")), ([list], .own("truck_id")), ([truck], .own("id")),
            ([optional, load], .own("sender_id")),
            ([unnamed], .every), ([], .every),
        ] as [([Column], Reach)] {
            let served = try await error(parameters, reach)
            #expect(served == .noDatabase(role: "driver"), "\(parameters.map(\.name)) \(reach)")
        }
        let lines = Shape.list(of: .object([load]), count: 1...3)
        let nested = Column("lines", .json(lines), nullable: false, summary: "")
        let named = try await error([nested], .own("truck_id"))
        #expect(named == .noDatabase(role: "driver"))
        let maybeNone = Column(
            "ids", .json(.list(of: .bigint, count: 0...3)), nullable: false, of: "loads", summary: "")
        for (parameters, column) in [
            ([], "truck_id"), ([maybeNone], "truck_id"), ([unnamed], "truck_id"), ([optional], "truck_id"),
            ([load], "owner_id"), ([load], "id"),
            ([truck], "truck_id"),
        ] {
            let refused = try await error(parameters, .own(column))
            #expect(
                refused == .unlimitedCommand("loads.drop", role: "driver", column: column),
                "\(parameters.map(\.name)) \(column)")
        }
        let guest = try await error([load], .own("truck_id"), role: Role("guest"))
        #expect(guest == .noOwnRows(role: "guest", entity: "loads.drop"))
    }

    @Test func `a role that reaches its own rows comes before the base role that reaches every row`() async throws {
        let driver = Role("driver", subject: "trucks")
        func domain(_ roles: [Role], reading: Grants, calling: Grants) -> Domain {
            let trucks = Entity(
                name: "trucks", noun: Noun("camion", plural: "camions", feminine: false), columns: [.id], search: nil,
                defaultOrder: [OrderTerm("id")], access: Access(read: reading, create: [], update: [], delete: []))
            let command = Command(
                name: "trucks.park", summary: "",
                parameters: [Column("id", .bigint, nullable: false, of: "trucks", summary: "")], function: "a.b",
                answers: .record(of: "trucks"), roles: calling)
            return Domain(name: "freight", roles: roles, entities: [trucks], commands: [command])
        }
        let everyone: Grants = [.user: .every, driver: .own("id")]
        let drivers: Grants = [driver: .own("id")]
        func found(_ domain: Domain) async throws -> RPCService.SetupError? {
            do {
                _ = try await Bookshop.service(domain)
                return nil
            } catch let error as RPCService.SetupError {
                return error
            }
        }
        let after: [Role] = [.admin, .user, driver]
        let read = try await found(domain(after, reading: everyone, calling: drivers))
        #expect(read == .roleAfterBase("driver", base: "user", entity: "trucks"))
        let called = try await found(domain(after, reading: drivers, calling: everyone))
        #expect(called == .roleAfterBase("driver", base: "user", entity: "trucks.park"))
        // The service of this test has no database for the role, which is looked at later.
        let before = try await found(domain([.admin, driver, .user], reading: everyone, calling: everyone))
        #expect(before == .noDatabase(role: "driver"))
        // The base role has other rights.
        let apart = try await found(domain(after, reading: drivers, calling: drivers))
        #expect(apart == .noDatabase(role: "driver"))
    }

    @Test func `the name of a command is that of no other method`() async throws {
        let command = Command(
            name: "books.list", summary: "", parameters: [], function: "a.b", answers: .nothing, roles: [.admin])
        await #expect(throws: RPCService.SetupError.duplicateMethod("books.list")) {
            try await Bookshop.service(Domain(name: "other", entities: [], commands: [command]))
        }
    }

    // MARK: Description

    @Test func `a command is described with its roles, conflicts and result`() throws {
        let description = try method().description(CallLimits())
        #expect(description["x-roles"] == ["admin"])
        #expect(description["x-entity"] == "kits")
        #expect(description["x-conflicts"] == ["full", "lent", "state"])
        guard case .array(let params)? = description["params"] else { return }
        #expect(
            params.compactMap { $0["name"]?.text } == [
                "id", "parts", "from", "to", "count", "select", "variables", "idempotency_key", "dry_run",
            ])
        let list = try method(counting(.records(of: "kits"))).description(CallLimits())
        #expect(list["result"]?["schema"]?["required"] == ["items"])
        let value = try method(counting(.value(.list(of: .date, count: 0...3)))).description(CallLimits())
        #expect(value["result"]?["schema"]?["type"] == "array")
        let none = try method(counting(.nothing)).description(CallLimits())
        #expect(none["result"]?["schema"]?["type"] == "object")
    }
}
