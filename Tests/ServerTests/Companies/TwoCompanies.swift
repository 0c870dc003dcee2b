import DomainKit
import Foundation
import JSON
import TestPostgres
import TestSupport
import Testing

/// A server of a ``SystemUnderTest`` in which two companies have the same rows, under the same ids but for one row of each table.
/// Several companies are enabled, and the callers of the system act in the first one.
final class TwoCompanies: Sendable {
    /// The id of one row of each table, the kernel's included: in the company of the callers, in no company, and in the other one.
    /// No row has an id between the last two, or above them.
    static let own = 60_000_001
    static let missing = 70_000_001
    static let foreign = 90_000_001

    /// A call whose answer is not to depend on what other companies have, and its answer when there was no other company.
    struct Read: Sendable {
        let role: Role
        let call: CompanyCall
        let answer: String
    }

    let system: SystemUnderTest
    let served: ServedSystem
    let description: ServiceDescription
    let reads: [Read]

    private static let running = RunningCompanies()

    /// The server that tests share: they leave its rows as they are.
    static func running(_ system: SystemUnderTest) async throws -> TwoCompanies {
        try await running.companies(of: system)
    }

    fileprivate init(_ system: SystemUnderTest) async throws {
        // Few connections, because each of them plans each statement anew. No mail leaves: nothing listens there.
        let served = try await ServedSystem.start(
            system,
            [
                "--max-batch", "50", "--pool-size", "2", "--smtp-url", "smtp://127.0.0.1:9", "--public-url",
                "https://deux.exemple.fr",
            ])
        let description = try await ServiceDescription(of: served.server)
        let database = served.server.database
        let last = try await Self.lastRows(of: served)
        try await database.psql(Self.inserting(Self.renaming(last, to: Self.own, in: 1)))
        try await database.psql(Self.inserting(Self.kernelRows(of: 1, under: Self.own)))
        var reads: [Read] = []
        for (role, calls) in Self.reads(of: system, description) {
            let answers = try await CompanyCall.answers(to: calls, as: try await served.client(role))
            reads += zip(calls, answers).map { Read(role: role, call: $0, answer: $1.masked(Self.own)) }
        }
        self.system = system
        self.served = served
        self.description = description
        self.reads = reads
        // The caller's own company is the first by its name, too: signing in without one enters it.
        try await database.psql(
            """
            INSERT INTO kernel.companies (name) VALUES ('Voisine');
            INSERT INTO kernel.companies (id, name) VALUES (\(Self.foreign), 'Zélée');
            BEGIN;
            SET LOCAL learntrack.company = '2';
            INSERT INTO users (company_id, email, username, role)
            SELECT 2, email, username, role FROM users
            WHERE company_id = 1 AND email IN ('\(TestServer.admin)', '\(TestServer.user)');
            COMMIT;
            """)
        let renaming = Self.renaming(last.map { ($0.table, Self.own) }, to: Self.foreign, in: 2)
        try await database.psql(Self.inserting(Self.copying(last.map(\.table)) + renaming))
        try await database.psql(Self.inserting(Self.kernelRows(of: 2, under: Self.foreign)))
        try await database.psql("SELECT kernel.companies_enable()")
        // The server learns within a second to name the company in each read.
        try await Task.sleep(for: .seconds(2))
        try await database.psql("SELECT kernel.companies_close()")
    }

    /// The id of a sign-in, and of a link.
    static func uuid(_ id: Int) -> String { "00000000-0000-0000-0000-0000\(id)" }

    /// The administrator of the other company: the same person as that of the first one.
    func foreignAdmin() async throws -> RPCClient {
        let session = try await served.server.client(nil).call(
            "auth.login",
            ["email": .string(TestServer.admin), "password": .string(TestServer.password), "company_id": 2])
        return try RPCClient(port: served.server.port, token: try #require(session["access_token"]?.text))
    }

    /// The caller of a method: an administrator where one may call it. Nil: no caller of the system may.
    static func caller(of method: MethodDescription, in system: SystemUnderTest) -> Role? {
        let roles = [.admin] + system.roles.filter { $0 != .admin }
        return method.roles.isEmpty ? .admin : roles.first { method.roles.contains($0.name) }
    }

    // MARK: Calls

    /// Params that lead a call to its records: those of the fixtures, or the example of the description.
    static func params(
        of method: MethodDescription, in system: SystemUnderTest, _ places: [RecordPlaces.Place]
    ) -> JSONValue {
        if method.name == "auth.login" {
            return ["email": .string(TestServer.admin), "password": .string(TestServer.password)]
        }
        if method.name == "account_roles.create", let role = system.roles.first(where: { $0.subject != nil }) {
            let values: JSONValue = [
                "account_id": JSONValue(own), "role": .string(role.name), "subject": JSONValue(own),
            ]
            return ["values": values, "dry_run": true]
        }
        let isAggregate = method.name.hasSuffix(".aggregate")
        let list = isAggregate ? method.name.dropLast("aggregate".count) + "list" : method.name
        var params =
            system.fixtures.lazy.compactMap { $0.calls[method.name] ?? $0.calls[list] }.first
            ?? .merging(
                method.example["params"]?.array.map { ($0["name"]?.text ?? "", $0["value"] ?? .null) } ?? [])
        if isAggregate { params = params.setting("/select", to: "{ count }") }
        for name in ["if_version", "order_by", "group_by"] { params = params.setting("/\(name)", to: nil) }
        let names = method.parameters.compactMap { $0["name"]?.text }
        if names.contains("dry_run") { params = params.setting("/dry_run", to: true) }
        // The record of the call is there; a fixture names one that the command can be carried out on.
        if system.fixtures.allSatisfy({ $0.calls[method.name] == nil }) {
            for place in places where place.kind == .id(isUUID: false) && params.at(place.path) != .null {
                params = params.setting(place.path, to: JSONValue(own))
            }
        }
        return params
    }

    /// The calls that show records, or what refers to them, by the role of their caller.
    private static func reads(of system: SystemUnderTest, _ description: ServiceDescription) -> [Role: [CompanyCall]] {
        // The outbox and jobs change by themselves.
        let changing: Set = ["outbox", "jobs"]
        var calls: [Role: [CompanyCall]] = [:]
        for method in description.methods {
            let (group, word) = (method.name.prefix { $0 != "." }, method.name.split(separator: ".").last ?? "")
            guard !method.roles.isEmpty, !changing.contains(String(group)), let role = caller(of: method, in: system)
            else { continue }
            let params = params(of: method, in: system, [])
            switch word {
            case "list" where method.entity != nil:
                calls[role, default: []].append(
                    CompanyCall(method.name, params.setting("/select", to: nil).setting("/count", to: true)))
                let entity = system.domains.flatMap(\.entities).first { $0.name == method.entity }
                let derived = entity?.derived.map(\.name) ?? []
                if !derived.isEmpty {
                    let selection = "{ id \(derived.joined(separator: " ")) }"
                    calls[role, default: []].append(
                        CompanyCall(method.name, params.setting("/select", to: .string(selection))))
                }
                if method.parameters.contains(where: { $0["name"] == "search" }) {
                    let searching = params.setting("/select", to: nil).setting("/search", to: "a")
                    calls[role, default: []].append(CompanyCall(method.name, searching.setting("/count", to: true)))
                }
            case "aggregate": calls[role, default: []].append(CompanyCall(method.name, params))
            case "history", "get": calls[role, default: []].append(CompanyCall(method.name, ["id": JSONValue(own)]))
            // How many records refer to it is told in the refusal.
            case "delete" where system.tables.contains { $0.entity.name == group }:
                calls[role, default: []].append(CompanyCall(method.name, ["id": JSONValue(own), "dry_run": true]))
            default: break
            }
        }
        return calls
    }

    // MARK: Rows

    private static func inserting(_ statements: String) -> String {
        """
        BEGIN;
        SET LOCAL session_replication_role = replica;
        \(statements)
        COMMIT;
        """
    }

    /// The tables of companies, each with its last row: where a role of the system reaches rows of its subject alone, the last of those.
    private static func lastRows(of served: ServedSystem) async throws -> [(table: String, id: Int)] {
        var rows: [(table: String, id: Int)] = []
        for (entity, schema, domain) in served.system.tables where entity.rows == .ofCompanies {
            // The subject itself keeps its id.
            let limited = domain.roles.first { role in
                if case .own(let column)? = entity.access.reach(of: role, for: .read) { column != "id" } else { false }
            }
            let ids = try await served.ids(of: entity, in: schema, for: limited)
            rows.append(("\(schema).\(entity.name)", try #require(ids.last, "\(entity.name) has no row")))
        }
        return rows
    }

    private static func copying(_ tables: [String]) -> String {
        """
        DO $$
        DECLARE
            copied regclass;
            columns text;
        BEGIN
            FOREACH copied IN ARRAY '{\(tables.joined(separator: ","))}'::regclass[] LOOP
                SELECT string_agg(quote_ident(attname), ', ') INTO columns FROM pg_attribute
                WHERE attrelid = copied AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attname <> 'company_id';
                EXECUTE format(
                    'INSERT INTO %1$s (company_id, %2$s) SELECT 2, %2$s FROM %1$s WHERE company_id = 1', copied, columns);
            END LOOP;
        END
        $$;

        """
    }

    /// Gives rows another id, in the rows that refer to them, too.
    private static func renaming(_ rows: [(table: String, id: Int)], to id: Int, in company: Int) -> String {
        """
        DO $$
        DECLARE
            renamed record;
            reference record;
        BEGIN
            FOR renamed IN
                SELECT home::regclass AS home, id AS was
                FROM (VALUES \(rows.map { "('\($0.table)', \($0.id)::bigint)" }.joined(separator: ", "))) AS row (home, id)
            LOOP
                EXECUTE format('UPDATE %s SET id = \(id) WHERE company_id = \(company) AND id = $1', renamed.home)
                    USING renamed.was;
                FOR reference IN
                    SELECT k.conrelid::regclass AS home, a.attname FROM pg_constraint AS k
                    JOIN pg_attribute AS i ON i.attrelid = k.confrelid AND i.attname = 'id'
                    JOIN pg_attribute AS a
                        ON a.attrelid = k.conrelid AND a.attnum = k.conkey[array_position(k.confkey, i.attnum)]
                    WHERE k.contype = 'f' AND k.confrelid = renamed.home
                LOOP
                    EXECUTE format(
                        'UPDATE %s SET %2$I = \(id) WHERE company_id = \(company) AND %2$I = $1',
                        reference.home, reference.attname) USING renamed.was;
                END LOOP;
            END LOOP;
        END
        $$;

        """
    }

    /// Rows of the kernel's tables. What is an account's own belongs to the caller in the first company, and to another person in the
    /// second. What a member has is the caller's in both.
    private static func kernelRows(of company: Int, under id: Int) -> String {
        """
        DO $$
        DECLARE
            caller bigint := (SELECT id FROM users WHERE company_id = \(company) AND email = '\(TestServer.admin)');
            person bigint := \(company == 1 ? "(SELECT account_id FROM users WHERE id = caller)" : "\(id)");
            kept record;
        BEGIN
            INSERT INTO kernel.accounts (id, email) VALUES (\(id), 'membre\(id)@exemple.fr');
            INSERT INTO users (company_id, id, account_id, email, username, role)
            VALUES (\(company), \(id), \(id), 'membre\(id)@exemple.fr', 'Membre', 'user');
            INSERT INTO sign_ins (company_id, id, user_id, refresh_hash)
            VALUES (\(company), '\(uuid(id))', person, sha256('\(id)'));
            INSERT INTO kernel.passkeys (id, account_id, name, credential_id, public_key, sign_count, transports)
            VALUES (\(id), person, 'Clé', '\(id)', decode(repeat('00', 64), 'hex'), 0, '');
            INSERT INTO access_keys (company_id, id, account_id, role, name, key_hash)
            VALUES (\(company), \(id), \(id), 'user', 'Clé', sha256('\(id)'));
            INSERT INTO account_roles (company_id, id, account_id, role) VALUES (\(company), \(id), \(id), 'user');
            INSERT INTO kernel.subscriptions (company_id, id, account_id, role, kind, method, params, secret_hash)
            VALUES (\(company), \(id), caller, 'admin', 'calendriers', 'sessions.calendrier', '{}', sha256('\(id)'));
            INSERT INTO kernel.files (company_id, id, account_id, sha256, media_type, size)
            VALUES (\(company), \(id), caller, sha256('x'), 'image/png', 1);
            INSERT INTO kernel.file_bytes (company_id, file_id, bytes) VALUES (\(company), \(id), 'x');
            INSERT INTO kernel.signatures (company_id, id, kind, method, params, name, sha256, account_id)
            VALUES (\(company), \(id), 'signatures', 'sessions.convention', '{"id": \(id)}', 'c.pdf', repeat('a', 64), caller);
            INSERT INTO kernel.signature_documents (company_id, signature_id, shown) VALUES (\(company), \(id), 'x');
            INSERT INTO kernel.signatories (company_id, id, signature_id, name, email)
            VALUES (\(company), \(id), \(id), 'Ada', 'ada@exemple.fr');
            INSERT INTO kernel.signature_links (company_id, signatory_id, link_id) VALUES (\(company), \(id), '\(uuid(id))');
            INSERT INTO kernel.outbox (company_id, id, kind, record_id, attempts, gave_up_at, last_error, cause)
            VALUES (\(company), \(id), 'essai', \(id), 1, now(), 'refusé', 'server');
            INSERT INTO journal (company_id, id, table_name, row_id, operation, actor, after)
            VALUES (\(company), \(id), 'users', \(id), 'create', '{}', '{}');
            -- What a merge has absorbed, and the record that has taken its place.
            FOR kept IN
                SELECT c.oid::regclass AS home FROM pg_class AS c
                WHERE c.relkind = 'r' AND c.relname LIKE '%\\_fusionnes'
            LOOP
                EXECUTE format(
                    'INSERT INTO %s (company_id, id, fusionne_dans) VALUES (\(company), \(id + 1), \(id))', kept.home);
            END LOOP;
        END
        $$;

        """
    }
}

/// A call, and the answers to many.
struct CompanyCall: Sendable {
    let method: String
    let params: JSONValue

    init(_ method: String, _ params: JSONValue) {
        self.method = method
        self.params = params
    }

    private static let batch = 25

    /// The texts of the answers, byte for byte, in the order of the calls.
    static func answers(to calls: [CompanyCall], as client: RPCClient) async throws -> [CompanyAnswer] {
        var answers: [CompanyAnswer] = []
        for start in stride(from: 0, to: calls.count, by: batch) {
            let members = calls[start..<min(start + batch, calls.count)].enumerated().map { number, call in
                #"{"jsonrpc":"2.0","id":"call~\#(number)","method":"\#(call.method)","params":\#(call.params.json)}"#
            }
            let response = try await client.post("[\(members.joined(separator: ","))]")
            // Every answer begins with these bytes, which no text in an answer contains.
            let texts = response.text.components(separatedBy: #"{"jsonrpc":"2.0","id":"call~"#).dropFirst()
            guard texts.count == members.count else {
                throw TestEnvironmentError(
                    "\(members.count) calls, \(texts.count) answers: \(response.text.prefix(300))")
            }
            for (number, text) in texts.enumerated() {
                // Without its number, and without what separates it from the next one.
                let head = "\(number)\","
                guard text.hasPrefix(head) else { throw TestEnvironmentError("out of order: \(text.prefix(300))") }
                let end = text.hasSuffix(",") || text.hasSuffix("]") ? 1 : 0
                answers.append(CompanyAnswer(text: String(text.dropFirst(head.count).dropLast(end))))
            }
        }
        return answers
    }
}

struct CompanyAnswer: Sendable {
    let text: String

    /// The answer without what differs between two calls with different ids: the ids, that of the request, the fingerprint of the params
    /// in a cursor, and what depends on the time of the call.
    func masked(_ id: Int) -> String {
        text.replacing(/"(request_id|end_cursor)":"[^"]*"/, with: "")
            .replacing(/"(freshness_seconds|period_end)":[^,}]*/, with: "")
            .replacing(String(id + 1), with: "##").replacing(String(id), with: "#")
    }
}

/// The shared servers, one for each system.
private actor RunningCompanies {
    private var tasks: [String: Task<TwoCompanies, any Error>] = [:]

    func companies(of system: SystemUnderTest) async throws -> TwoCompanies {
        let task = tasks[system.testDescription] ?? Task { try await TwoCompanies(system) }
        tasks[system.testDescription] = task
        return try await task.value
    }
}
