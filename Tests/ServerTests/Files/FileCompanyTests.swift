import Auth
import DomainKit
import JSON
import PostgresDriver
import TestPostgres
import TestSupport
import Testing

@testable import Files
@testable import RPCServer

/// companies.md: "Nothing crosses": "so too files, links".
@Suite struct FileCompanyTests {
    private static let unknown: JSONValue = 999_999_999

    /// Gives the bytes of a file to company 2 in the name of an account, and says the id that they have there.
    private static func give(
        _ file: JSONValue, of account: JSONValue, on database: TestDatabase
    ) async throws -> JSONValue {
        .number(
            try await database.psql(
                """
                SET learntrack.company = '2';
                INSERT INTO kernel.companies (id, name) VALUES (2, 'Voisine') ON CONFLICT DO NOTHING;
                INSERT INTO users (email) SELECT u.email FROM users AS u WHERE u.company_id = 1 AND u.id = \(account.json)
                ON CONFLICT DO NOTHING;
                SELECT given.id FROM kernel.file_bytes AS b CROSS JOIN LATERAL kernel.file_put(
                    (SELECT u.id FROM users AS u WHERE u.company_id = 2 AND u.account_id = \(account.json)),
                    'image/png', b.bytes) AS given
                WHERE b.company_id = 1 AND b.file_id = \(file.json)
                """))
    }

    /// An account, a file of it in company 1, and the same bytes of it in company 2.
    private static func given(
        by client: RPCClient, on garden: Garden
    ) async throws -> (account: JSONValue, own: JSONValue, foreign: JSONValue) {
        let account = try #require(try await client.call("auth.me")["id"])
        let own = try #require(try await FileTests.put(FileTests.png(), as: client).json["id"])
        return (account, own, try await give(own, of: account, on: garden.server.database))
    }

    /// Enters an observation of a gardener, under the same ids in each company.
    private static func observations(
        of gardener: Garden.Gardener, naming file: JSONValue, in company: Int, on database: TestDatabase
    ) async throws {
        let owner = gardener.id
        try await database.psql(
            """
            INSERT INTO probe.gardens (company_id)
            SELECT \(company) WHERE NOT EXISTS (SELECT FROM probe.gardens WHERE company_id = \(company));
            INSERT INTO probe.gardeners (company_id, id, name) VALUES (\(company), \(owner), 'Olga') ON CONFLICT DO NOTHING;
            INSERT INTO probe.plots (company_id, id, gardener_id, number, name, garden_id)
            SELECT \(company), 80001, \(owner), 801, 'Carré', g.id FROM probe.gardens AS g WHERE g.company_id = \(company)
            ON CONFLICT DO NOTHING;
            INSERT INTO probe.observations (company_id, id, gardener_id, plot_id, mood, blocks)
            VALUES (\(company), 80001, \(owner), 80001, 1, '[{"photo": \(file.json)}]')
            """)
    }

    @Test func `the same bytes in two companies are two files, and each is read in its own alone`() async throws {
        // Its own: who has joined a second company may enter that one with the next sign-in.
        let garden = try await Garden(.probe())
        let database = garden.server.database
        let client = try await garden.coordinator()
        let (account, own, foreign) = try await Self.given(by: client, on: garden)
        #expect(foreign != own)
        #expect(try await Self.give(own, of: account, on: database) == foreign)
        let kept = try await database.psql(
            """
            SELECT string_agg(b.company_id || ' ' || b.file_id, ', ' ORDER BY b.file_id)
            FROM kernel.file_bytes AS b WHERE b.file_id IN (\(own.json), \(foreign.json))
            """)
        #expect(kept == "1 \(own.json), 2 \(foreign.json)")
        #expect(try await FileTests.get(own, as: client, on: garden).status == 200)
        var refusals: [JSONValue] = []
        for id in [foreign, Self.unknown] {
            let refused = try await FileTests.get(id, as: client, on: garden)
            #expect(refused.status == 404)
            let error = try JSONValue.parse(refused.body)["error"] ?? .null
            refusals.append([error["message"] ?? .null, error.at("/data/code")])
            let link = try await client.refusal("files.lien", ["id": id])
            #expect(link["code"] == 404, "\(link.json)")
        }
        #expect(refusals[0] == refusals[1])
        #expect(try await garden.server.stop() == 0)
    }

    @Test func `a record names no file of another company, also when the owner of the schema writes it`() async throws {
        let garden = try await Garden(.probe())
        let database = garden.server.database
        let gardener = try await garden.gardener()
        let coordinator = try await garden.coordinator()
        let season = try await database.psql("INSERT INTO probe.seasons (year) VALUES (1) RETURNING id")
        let (_, own, foreign) = try await Self.given(by: coordinator, on: garden)
        let (_, photo, foreignPhoto) = try await Self.given(by: gardener.client, on: garden)
        for missing in [foreign, Self.unknown] {
            let error = try await coordinator.response(
                "seasons.update", ["id": .number(season), "values": ["poster": missing]])
            #expect(error.at("/error/data/errors/0/path") == "/values/poster", "\(error.json)")
            #expect(error.at("/error/data/errors/0/code") == "not_found", "\(error.json)")
        }
        for missing in [foreignPhoto, Self.unknown] {
            let block: JSONValue = [
                "kind": "photo", "id": "0b54b1c4-55a0-4d0e-9a5e-3a6b8f5c1d20", "place": 0, "photo": missing,
                "text": "Le carré",
            ]
            let error = try await gardener.client.response(
                "observations.create",
                ["values": ["plot_id": JSONValue(gardener.plot), "mood": 1, "blocks": [block]], "select": "{ id }"])
            #expect(error.at("/error/data/errors/0/path") == "/values/blocks/0/photo", "\(error.json)")
            #expect(error.at("/error/data/errors/0/code") == "not_found", "\(error.json)")
        }
        for (company, file, picture) in [(1, foreign, foreignPhoto), (2, own, photo)] {
            let insertion = "INSERT INTO probe.seasons (company_id, year, poster) VALUES (\(company), 2, \(file.json))"
            await #expect(throws: TestEnvironmentError.self) { try await database.psql(insertion) }
            // Without the check of files the foreign key still refuses.
            await #expect(throws: TestEnvironmentError.self) {
                try await database.psql(
                    "BEGIN; ALTER TABLE probe.seasons DISABLE TRIGGER USER; \(insertion); COMMIT")
            }
            await #expect(throws: TestEnvironmentError.self) {
                try await Self.observations(of: gardener, naming: picture, in: company, on: database)
            }
        }
        for (company, file) in [(1, own), (2, foreign)] {
            try await database.psql(
                "INSERT INTO probe.seasons (company_id, year, poster) VALUES (\(company), 3, \(file.json))")
        }
        #expect(try await garden.server.stop() == 0)
    }

    /// What a role sees by itself, in Postgres.
    @Test func `a role reads the files that records of the company name, and no others`() async throws {
        let garden = try await Garden(.probe())
        let database = garden.server.database
        let gardener = try await garden.gardener()
        let (_, own, foreign) = try await Self.given(by: gardener.client, on: garden)
        for (company, file) in [(1, own), (2, foreign)] {
            try await Self.observations(of: gardener, naming: file, in: company, on: database)
        }
        func seen(in company: Int) async throws -> String {
            try await database.psql(
                """
                SET learntrack.company = '\(company)'; SET ROLE learntrack_coordinator;
                SELECT kernel.file_named(\(own.json)), kernel.file_named(\(foreign.json)),
                    (SELECT string_agg(id::text, ' ') FROM kernel.files),
                    (SELECT string_agg(file_id::text, ' ') FROM kernel.listed_files)
                """)
        }
        #expect(try await seen(in: 1) == "t|f|\(own.json)|\(own.json)")
        #expect(try await seen(in: 2) == "f|t|\(foreign.json)|\(foreign.json)")
        #expect(try await garden.server.stop() == 0)
    }

    @Test func `files that no record of their company names go, those of every company`() async throws {
        let garden = try await Garden(.probe())
        let database = garden.server.database
        let gardener = try await garden.gardener()
        let (_, own, foreign) = try await Self.given(by: gardener.client, on: garden)
        let (_, unnamed, foreignUnnamed) = try await Self.given(by: gardener.client, on: garden)
        try await database.psql("INSERT INTO probe.seasons (company_id, year, poster) VALUES (1, 1, \(own.json))")
        try await Self.observations(of: gardener, naming: foreign, in: 2, on: database)
        // A record of the same id goes, and what the other names stays.
        try await Self.observations(of: gardener, naming: unnamed, in: 1, on: database)
        try await database.psql(
            """
            DELETE FROM probe.observations WHERE company_id = 1;
            UPDATE kernel.files SET given_at = now() - interval '25 hours'
            """)
        func prune(_ count: Int) async throws -> String {
            try await database.psql("SELECT kernel.files_prune('1 day', \(count))")
        }
        func kept(_ table: String, _ id: String) async throws -> String {
            try await database.psql(
                "SELECT string_agg(company_id || ' ' || \(id), ', ' ORDER BY company_id, \(id)) FROM kernel.\(table)")
        }
        #expect(try await prune(1) == "1")
        #expect(try await kept("files", "id") == "1 \(own.json), 2 \(foreign.json), 2 \(foreignUnnamed.json)")
        #expect(try await prune(100) == "1")
        for (table, id) in [("files", "id"), ("file_bytes", "file_id")] {
            #expect(try await kept(table, id) == "1 \(own.json), 2 \(foreign.json)")
        }
        #expect(try await kept("listed_files", "file_id") == "2 \(foreign.json)")
        #expect(try await garden.server.stop() == 0)
    }

    @Test func `what an account gives a company within a day does not count in another`() async throws {
        try await TestDatabase.with(migrated: true) { database in
            let account = try await database.psql("INSERT INTO users (email) VALUES ('a@exemple.fr') RETURNING id")
            try await database.psql(
                """
                INSERT INTO kernel.files (account_id, sha256, media_type, size)
                SELECT \(account), sha256(i::text::bytea), 'image/png', 2097152 FROM generate_series(1, 32) AS i
                """)
            let elsewhere = try await database.psql(
                """
                INSERT INTO kernel.companies (id, name) VALUES (2, 'Voisine');
                INSERT INTO users (company_id, email) VALUES (2, 'a@exemple.fr') RETURNING id
                """)
            for (company, member, isRefused) in [(1, account, "t"), (2, elsewhere, "f")] {
                let refused = try await database.psql(
                    """
                    SET learntrack.company = '\(company)';
                    SELECT given.id IS NULL FROM kernel.file_put(\(member), 'image/png', 'x') AS given
                    """)
                #expect(refused == isRefused)
            }
        }
    }

    @Test func `the server keeps and reads files and pictures in the company of a call`() async throws {
        try await TestDatabase.with(migrated: true) { database in
            let account = try await database.psql("INSERT INTO users (email) VALUES ('a@exemple.fr') RETURNING id")
            let client = PostgresClient(.init(connectionString: database.connectionString))
            let elsewhere = try await database.psql(
                """
                INSERT INTO kernel.companies (id, name) VALUES (2, 'Voisine');
                INSERT INTO users (company_id, email) VALUES (2, 'a@exemple.fr') RETURNING id
                """)
            let callers = try [(1, account), (2, elsewhere)].map { company, id in
                Caller(
                    user: AuthenticatedUser(
                        member: Member(company: company, id: try #require(Int64(id))),
                        account: try #require(Int64(account)), signInID: "", role: "user"))
            }
            let result: Result<Void, any Error>
            do {
                result = .success(try await Self.expectApart(FileStore(database: client), of: callers))
            } catch {
                result = .failure(error)
            }
            await client.shutdown()
            try result.get()
        }
    }

    private static func expectApart(_ store: FileStore, of callers: [Caller]) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        let (bytes, drawn) = (FileTests.png(), [UInt8]("dessin".utf8))
        var ids: [Int64] = []
        for caller in callers {
            guard case .kept(let file) = try await store.put(bytes, .png, of: caller, deadline: deadline)
            else { throw TestEnvironmentError("the file is not kept") }
            ids.append(file.id)
        }
        #expect(ids[0] != ids[1])
        for id in ids {
            try await store.keep(
                .png(drawn), of: String(id), in: callers[1].company, share: nil, deadline: deadline)
        }
        for caller in callers {
            let call = Call(
                caller: caller, role: nil,
                context: CallContext(requestID: "essai", deadline: deadline))
            for (id, owner) in zip(ids, callers) {
                let isOwn = caller == owner
                let file = try await store.file(id, for: caller, deadline: deadline)
                #expect((file != nil) == isOwn)
                let read = try await store.bytes(of: id, for: caller, deadline: deadline)
                #expect(read == (isOwn ? bytes : nil))
                let picture = try await store.picture(of: String(id), for: call)
                #expect((picture != nil) == (isOwn && caller == callers[1]))
            }
        }
    }
}
