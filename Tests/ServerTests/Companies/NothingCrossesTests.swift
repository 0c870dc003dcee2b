import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// companies.md, "Nothing crosses": every method × every parameter that names a record, with another company's: "byte for byte what an
/// id that never existed gets but `request_id`; so too files, links, keys, cursors, successors. Search, aggregates, counts of 409 … show
/// the company alone".
///
/// The calls are generated from the service's description. A parameter of a kind that ``RecordPlaces`` does not know fails by its name,
/// and so does a table without a row of each company, and a place at which the company's own record is answered as one that never
/// existed: nothing would be compared there.
@Suite struct NothingCrossesTests {
    /// Places where the company's own record need not be answered in another way, and why.
    private static let alike: [String: String] = [
        "auth.create_access_key /subject": "only a record that the account stands for",
        "formateurs_disponibles.aggregate /sauf_session": "a session of another day leaves nobody out",
        "counter_issues.list /location_id": "the place has no issues",
        "counter_issues.aggregate /location_id": "the place has no issues",
        "seasons.update /values/poster": "only a file that the caller has sent",
        "jobs.get /id": "jobs are the installation's, and with several companies the operator's",
        "jobs.history /id": "jobs are the installation's, and with several companies the operator's",
        "jobs.run /id": "jobs are the installation's, and with several companies the operator's",
        "observations.create /values/blocks/0/id": "the client's own, and of no record",
        "observations.create /values/blocks/0/photo": "only within a block that is whole",
    ]

    /// One comparison: the same call with the id of the other company, one that never existed, and the company's own.
    private struct Comparison {
        let method: String
        let place: String
        let call: @Sendable (_ id: JSONValue) -> CompanyCall
        var kind = RecordPlaces.Kind.id(isUUID: false)
        /// Whether the company's own is to be answered in another way.
        var isExercised = true

        func id(_ number: Int) -> JSONValue {
            kind == .id(isUUID: true) ? .string(TwoCompanies.uuid(number)) : JSONValue(number)
        }
    }

    @Test(arguments: SystemUnderTest.all)
    func `a record of another company is answered as one that never existed, wherever a method names one`(
        system: SystemUnderTest
    ) async throws {
        let companies = try await TwoCompanies.running(system)
        let places = RecordPlaces(companies.description)
        var comparisons: [Role: [Comparison]] = [:]
        // What operators do names companies, and no record of one.
        for method in companies.description.methods
        where system.examines(method: method.name) && method.roles != ["operator"] {
            let found = places.places(of: method)
            for place in found where place.kind == .unknown {
                Issue.record("\(method.name) \(place.path): RecordPlaces does not know whether it names a record")
            }
            guard let role = TwoCompanies.caller(of: method, in: system) else {
                Issue.record("\(method.name) has no caller")
                continue
            }
            comparisons[role, default: []] += Self.comparisons(of: method, found, in: system)
        }
        for (role, all) in comparisons {
            let client = try await companies.served.client(role)
            func answers(_ number: Int, to some: [Comparison]) async throws -> [String] {
                try await CompanyCall.answers(to: some.map { $0.call($0.id(number)) }, as: client).map {
                    $0.masked(number)
                }
            }
            let foreign = try await answers(TwoCompanies.foreign, to: all)
            let missing = try await answers(TwoCompanies.missing, to: all)
            for (index, one) in all.enumerated() {
                #expect(
                    foreign[index] == missing[index],
                    "\(role.name) \(one.method) \(one.place) \(one.call(JSONValue(TwoCompanies.foreign)).params.json)")
            }
            let exercised = all.indices.filter { all[$0].isExercised }
            let own = try await answers(TwoCompanies.own, to: exercised.map { all[$0] })
            for (index, answer) in zip(exercised, own)
            where Self.alike["\(all[index].method) \(all[index].place)"] == nil {
                #expect(
                    answer != missing[index],
                    "\(role.name) \(all[index].method) \(all[index].place): the own record is not found, either")
            }
        }
    }

    private static func comparisons(
        of method: MethodDescription, _ places: [RecordPlaces.Place], in system: SystemUnderTest
    ) -> [Comparison] {
        let base = TwoCompanies.params(of: method, in: system, places)
        let isWrite = method.parameters.contains { $0["name"] == "idempotency_key" }
        var comparisons: [Comparison] = []
        var seen: Set<String> = []
        for place in places where !place.path.hasPrefix("/where/") && seen.insert(place.path).inserted {
            switch place.kind {
            case .id, .company:
                let call: @Sendable (JSONValue) -> JSONValue = { base.putting($0, at: place.path) }
                comparisons.append(
                    Comparison(
                        method: method.name, place: place.path, call: { CompanyCall(method.name, call($0)) },
                        kind: place.kind,
                        isExercised: place.kind != .company))
                guard isWrite, place.kind == .id(isUUID: false) else { continue }
                comparisons.append(
                    Comparison(
                        method: method.name, place: "\(place.path) in a transaction",
                        call: {
                            let params = call($0).setting("/dry_run", to: nil)
                            return CompanyCall(
                                "transaction.run",
                                ["calls": [["method": .string(method.name), "params": params]], "dry_run": true])
                        }, isExercised: false))
            // Cursors have a test of their own, and transactions those of their methods.
            case .cursor, .calls, .unknown: break
            }
        }
        // An absorbed record is told of with the one that has taken its place.
        if places.contains(where: { $0.path == "/id" && $0.kind == .id(isUUID: false) }) {
            let merged = system.tables.filter { $0.entity.successor != nil }.map { "\($0.entity.name).get" }
            comparisons.append(
                Comparison(
                    method: method.name, place: "/id of an absorbed record",
                    call: { CompanyCall(method.name, base.setting("/id", to: JSONValue(($0.int ?? 0) + 1))) },
                    isExercised: merged.contains(method.name)))
        }
        return comparisons + filters(of: method, places.map(\.path).filter { $0.hasPrefix("/where/") }, base)
    }

    /// Filters by ids, a dozen in a call: all of an `or` compare with the id, and all of an `and` with any other one.
    private static func filters(of method: MethodDescription, _ paths: [String], _ base: JSONValue) -> [Comparison] {
        var (equal, different): ([String], [String]) = ([], [])
        for path in Set(paths).sorted() {
            let tokens = path.split(separator: "/").dropFirst().map(String.init)
            // Combinations of conditions are made here, and what compares with `lt` is read as what compares with `in`.
            guard let last = tokens.last, !tokens.contains(where: { ["and", "or", "not"].contains($0) }) else {
                continue
            }
            let isDifferent = last == "ne" || tokens.suffix(2) == ["nin", "0"]
            guard isDifferent || !["eq", "lt", "lte", "gt", "gte"].contains(last) else { continue }
            let isNone = tokens.contains { ["none", "every"].contains($0) }
            if isDifferent || isNone { different.append(path) } else { equal.append(path) }
        }
        var groups: [(word: String, paths: [String])] = []
        for (word, all) in [("or", equal), ("and", different)] {
            for start in stride(from: 0, to: all.count, by: 12) {
                groups.append((word, Array(all[start..<min(start + 12, all.count)])))
            }
        }
        return groups.map { word, paths in
            Comparison(
                method: method.name, place: "/where with \(paths.joined(separator: " "))",
                call: { id in
                    let conditions = paths.map { path in
                        JSONValue.object(JSONObject()).putting(id, at: String(path.dropFirst("/where".count)))
                    }
                    return CompanyCall(method.name, base.setting("/where", to: .merging([(word, .array(conditions))])))
                }, isExercised: false)
        }
    }

    @Test(arguments: SystemUnderTest.all)
    func `lists, counts, aggregates, searches, views, histories and refusals are those of the company alone`(
        system: SystemUnderTest
    ) async throws {
        let companies = try await TwoCompanies.running(system)
        for (role, reads) in Dictionary(grouping: companies.reads, by: \.role) {
            let client = try await companies.served.client(role)
            for (read, answer) in zip(reads, try await CompanyCall.answers(to: reads.map(\.call), as: client)) {
                let call = "\(role.name) \(read.call.method) \(read.call.params.json)"
                #expect(answer.masked(TwoCompanies.own) == read.answer, "\(call)")
                #expect(!answer.text.contains(String(TwoCompanies.foreign)), "\(call)")
            }
        }
        let client = try await companies.served.client(.admin)
        let messages = try await client.response("outbox.list", ["first": 500])
        #expect(
            messages.json.contains(String(TwoCompanies.own)) && !messages.json.contains(String(TwoCompanies.foreign)))
    }

    @Test(arguments: SystemUnderTest.all)
    func `a cursor of another company is a position among the company's own records`(system: SystemUnderTest)
        async throws
    {
        let companies = try await TwoCompanies.running(system)
        let (client, foreign) = (try await companies.served.client(.admin), try await companies.foreignAdmin())
        let places = RecordPlaces(companies.description)
        var tried: Set<String> = []
        for method in companies.description.methods {
            let found = places.places(of: method)
            guard method.roles.contains(Role.admin.name), found.contains(where: { $0.kind == .cursor }) else {
                continue
            }
            let params = TwoCompanies.params(of: method, in: system, found).setting("/first", to: 1)
            // A history is that of a record, which has other ids there.
            let theirs =
                method.name.hasSuffix(".history") ? params.setting("/id", to: JSONValue(TwoCompanies.foreign)) : params
            let page = try await foreign.response(method.name, theirs)
            guard let cursor = page.at("/result/end_cursor").text else { continue }
            tried.insert(method.name)
            let rest = params.setting("/first", to: 200).setting("/after", to: .string(cursor))
            let answer = try await client.response(method.name, rest)
            #expect(!answer.json.contains(String(TwoCompanies.foreign)), "\(method.name) \(rest.json): \(answer.json)")
            if answer["error"] != nil { #expect(answer.at("/error/code") == -32602, "\(method.name): \(answer.json)") }
        }
        for (entity, _, _) in system.tables where entity.access.allows(.read, to: .admin) {
            #expect(tried.contains("\(entity.name).list"), "\(entity.name) has no page to go on from")
        }
    }

    @Test(arguments: SystemUnderTest.all)
    func `what is served at other paths, and what a key opens, is of one company`(system: SystemUnderTest) async throws
    {
        let companies = try await TwoCompanies.running(system)
        let server = companies.served.server
        let client = try await companies.served.client(.admin)
        for operation in companies.description.document.at("/x-http").array {
            let path = operation["path"]?.text ?? ""
            for parameter in operation.at("/parameters").array where parameter["in"] == "path" {
                let name = parameter["name"]?.text ?? ""
                // The token of a link proves its right, and names its company.
                if name == "token" { continue }
                #expect(name == "id", "\(path): the test does not know what \(name) names")
                func get(_ id: Int) async throws -> String {
                    let response = try await client.http.request(
                        "GET", path.replacing("{\(name)}", with: "\(id)"),
                        headers: [("Authorization", "Bearer \(client.token ?? "")")])
                    return "\(response.status) \(CompanyAnswer(text: response.text).masked(id))"
                }
                let (foreign, missing) = (try await get(TwoCompanies.foreign), try await get(TwoCompanies.missing))
                #expect(foreign == missing, "\(path)")
                #expect(try await get(TwoCompanies.own) != missing, "\(path): the own record is not found, either")
            }
        }
        let key = try await companies.foreignAdmin().call(
            "auth.create_access_key", ["account_id": JSONValue(TwoCompanies.foreign), "role": "user", "name": "Essai"])
        let keyed = try RPCClient(port: server.port, token: try #require(key["key"]?.text))
        #expect(try await keyed.call("auth.me").at("/company/id") == 2)
        let readable = Set(system.tables.map { "\($0.entity.name).get" })
        for method in companies.description.methods
        where readable.contains(method.name) && method.roles.contains("user") {
            let own = try await keyed.response(method.name, ["id": JSONValue(TwoCompanies.foreign)])
            #expect(own["result"] != nil, "\(method.name): \(own.json)")
            let other = try await keyed.response(method.name, ["id": JSONValue(TwoCompanies.own)])
            #expect(other.at("/error/code") == 404, "\(method.name): \(other.json)")
        }
    }

    /// Tables whose rows no call names by an id of their own, or of the installation's workers.
    private static let withoutRows: Set = ["kernel.changes", "annonces_orphelines"]

    @Test(arguments: SystemUnderTest.all)
    func `every table whose rows have an id and a company has a row of each`(system: SystemUnderTest) async throws {
        let companies = try await TwoCompanies.running(system)
        let database = companies.served.server.database
        let tables = try await database.psql(
            """
            SELECT c.oid::regclass FROM pg_class AS c
            JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'company_id'
            JOIN pg_attribute AS i ON i.attrelid = c.oid AND i.attname = 'id' AND i.atttypid = 'bigint'::regtype
            WHERE c.relkind = 'r'
            """
        ).split(separator: "\n").map(String.init)
        let (own, foreign) = (TwoCompanies.own, TwoCompanies.foreign)
        let rows = "(1, \(own)), (1, \(own + 1)), (2, \(foreign)), (2, \(foreign + 1))"
        let empty = try await database.psql(
            tables.map {
                "SELECT '\($0)' WHERE 2 > (SELECT count(*) FROM \($0) WHERE (company_id, id) IN (\(rows)))"
            }.joined(separator: " UNION ALL ")
        ).split(separator: "\n").map(String.init)
        #expect(Set(empty).subtracting(Self.withoutRows) == [], "TwoCompanies gives these tables no rows")
    }
}

extension JSONValue {
    /// This value with one at a JSON Pointer, whose objects and lists are made where they are missing.
    fileprivate func putting(_ value: JSONValue, at pointer: String) -> JSONValue {
        putting(value, at: pointer.split(separator: "/").map(String.init)[...])
    }

    private func putting(_ value: JSONValue, at tokens: ArraySlice<String>) -> JSONValue {
        guard let token = tokens.first else { return value }
        let rest = tokens.dropFirst()
        if let index = Int(token) {
            var elements = array
            while elements.count <= index { elements.append(.null) }
            elements[index] = elements[index].putting(value, at: rest)
            return .array(elements)
        }
        return .merging([(token, (self[token] ?? .null).putting(value, at: rest))], into: self)
    }

    private static func merging(_ values: [(String, JSONValue)], into whole: JSONValue) -> JSONValue {
        guard case .object(let object) = whole else { return merging(values) }
        return merging(object.members.map { ($0.name, $0.value) } + values)
    }
}
