import PostgresDriver
import TestPostgres
import TestSupport
import Testing

struct RoleIsolationFaultTests {
    static let whoAmI = Statement("SELECT current_user, $1::int")
    static let divide = Statement("SELECT current_user, 1 / $1::int")
    static let nap = Statement("SELECT current_user, pg_sleep(0.002)")

    @Test func `of 100,000 calls under alternating roles none is answered for another role`() async throws {
        try await TestDatabase.with(migrated: false) { database in
            let suffix = database.name
            let roles = ["alice_\(suffix)", "bob_\(suffix)"]
            for role in roles { try await database.psql("CREATE ROLE \(role)") }
            let clients = roles.map { role in
                var configuration = PostgresClient.Configuration(connectionString: database.connectionString)
                configuration.role = role
                configuration.poolSize = 2
                configuration.acquireTimeout = .seconds(60)
                return PostgresClient(configuration)
            }
            let answered = LockedValue(0)
            let next = LockedValue(0)
            await withTaskGroup { group in
                for _ in 0..<64 {
                    group.addTask {
                        while true {
                            let number = next.withLock { next in
                                next += 1
                                return next
                            }
                            guard number <= 100_000 else { return }
                            let role = number % 2
                            if await Self.call(number, clients[role], roles[role], clients[1 - role], roles[1 - role]) {
                                answered.withLock { $0 += 1 }
                            }
                        }
                    }
                }
            }
            #expect(answered.value > 90_000)
            for client in clients { await client.shutdown() }
            for role in roles { try await database.psql("DROP ROLE \(role)") }
        }
    }

    /// Makes one call; its number decides the kind. Returns whether it succeeded.
    private static func call(
        _ number: Int, _ client: PostgresClient, _ role: String, _ other: PostgresClient, _ otherRole: String
    ) async -> Bool {
        let id = Parameter.text("\(number)")
        do {
            switch number % 1_000 {
            case 1, 2, 501, 502:
                // A lease that changes its role and does not change it back.
                return try await client.withConnection { connection in
                    try await connection.simpleQuery("SET ROLE \(otherRole)")
                    let rows = try await connection.query(whoAmI, [id])
                    #expect(rows.text(0, 0) == otherRole)
                    return true
                }
            case 3...22:
                let error = try await failure { try await client.query(divide, ["0"]) }
                #expect(error.sqlState == "22012")
                return true
            case 23...32:
                let task = Task { try await client.query(nap) }
                for _ in 0..<number % 50 { await Task.yield() }
                task.cancel()
                guard case .success(let rows) = await task.result else { return false }
                #expect(rows.text(0, 0) == role)
                return true
            case 33...62:
                let rows = try await client.transaction([Step(whoAmI, [id]), Step(divide, ["1"])])
                #expect(rows[0].text(0, 0) == role && rows[0].text(0, 1) == "\(number)" && rows[1].text(0, 0) == role)
                return true
            default:
                let rows = try await client.query(whoAmI, [id])
                let isOwn = rows.text(0, 0) == role && rows.text(0, 1) == "\(number)"
                if !isOwn { Issue.record("\(role), call \(number), was answered as \(rows.text(0, 0) ?? "null")") }
                return isOwn
            }
        } catch {
            Issue.record(error)
            return false
        }
    }
}
