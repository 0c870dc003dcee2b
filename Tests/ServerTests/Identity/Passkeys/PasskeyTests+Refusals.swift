import Crypto
import DomainKit
import JSON
import TestPostgres
import TestSupport
import Testing

/// What is refused of new passkeys and of signatures.
extension PasskeyTests {
    private struct BadAddition: CustomTestStringConvertible {
        let testDescription: String
        let path: String
        var code = "rule"
        var change: @Sendable (inout SoftwareAuthenticator) -> Void = { _ in }
    }

    private static let client = "/credential/response/clientDataJSON"
    private static let attestation = "/credential/response/attestationObject"

    private static let badAdditions: [BadAddition] = [
        BadAddition(testDescription: "another origin", path: client) { $0.origin = "https://evil.example" },
        BadAddition(testDescription: "another port", path: client) { $0.origin = "http://localhost:1" },
        BadAddition(testDescription: "a frame of another site", path: client) { $0.crossOrigin = true },
        BadAddition(testDescription: "a frame of whatever site", path: client) { $0.crossOrigin = "no" },
        BadAddition(testDescription: "two origins", path: attestation) { $0.secondOrigin = "https://evil.example" },
        BadAddition(testDescription: "the same origin twice", path: attestation) { $0.secondOrigin = $0.origin },
        BadAddition(testDescription: "a backup of a key that has none", path: attestation) { $0.flags = 0x15 },
        BadAddition(testDescription: "another id than the key's", path: attestation) { $0.namedID = [1, 2, 3] },
        BadAddition(testDescription: "two ids", path: "/credential/rawId") { $0.rawID = [1, 2, 3] },
        BadAddition(testDescription: "one id alone", path: "/credential/rawId", code: "required") {
            $0.omitted = ["rawId"]
        },
        BadAddition(testDescription: "no type", path: "/credential/type", code: "required") { $0.omitted = ["type"] },
        BadAddition(testDescription: "another relying party", path: client) { $0.party = "evil.example" },
        BadAddition(testDescription: "a signature in its place", path: attestation) { $0.type = "webauthn.get" },
        BadAddition(testDescription: "another algorithm", path: attestation) { $0.algorithm = -8 },
        BadAddition(testDescription: "nobody there", path: attestation) { $0.flags = 0x04 },
        BadAddition(testDescription: "nobody recognised", path: attestation) { $0.flags = 0x01 },
        BadAddition(testDescription: "no key", path: attestation) { $0.distort = { _ in [0xA0] } },
        BadAddition(testDescription: "a byte too many", path: attestation) { $0.distort = { $0 + [0] } },
        BadAddition(testDescription: "extensions that end early", path: attestation) { $0.extensions = [0xA1, 0x61] },
        BadAddition(testDescription: "an item of endless length", path: attestation) {
            $0.distort = { _ in [0xBF, 0xFF] }
        },
        BadAddition(testDescription: "a length beyond all bounds", path: attestation) {
            $0.distort = { _ in [0x5B] + Array(repeating: 0xFF, count: 8) }
        },
        BadAddition(testDescription: "depth beyond all bounds", path: attestation) {
            $0.distort = { _ in Array(repeating: 0x81, count: 3_000) }
        },
        BadAddition(testDescription: "a point beside the curve", path: attestation) {
            $0.distort = { Array($0.dropLast()) + [($0.last ?? 0) ^ 1] }
        },
    ]

    @Test(arguments: badAdditions)
    private func `a passkey that is not made for this service is not added`(bad: BadAddition) async throws {
        let server = try await Self.server.value()
        let account = try await Self.account(on: server)
        var authenticator = SoftwareAuthenticator()
        bad.change(&authenticator)
        let credential = authenticator.created(try await Self.creation(account.client))
        let error = try await account.client.refusal("auth.add_passkey", ["name": "x", "credential": credential])
        #expect(error["code"] == -32602)
        #expect(error.at("/data/errors/0/path") == .string(bad.path))
        #expect(error.at("/data/errors/0/code") == .string(bad.code))
        #expect(try await account.client.call("auth.list_passkeys") == ["items": []])
    }

    @Test func `a credential of another type, with two ids or without its account opens no sign-in`() async throws {
        let server = try await Self.server.value()
        let account = try await Self.account(on: server)
        let authenticator = Self.authenticator(of: account)
        try await Self.add(authenticator, to: account)
        var (other, twofold, anyones) = (authenticator, authenticator, authenticator)
        other.credentialType = "password"
        twofold.rawID = [1, 2, 3]
        anyones.userHandle = nil
        for (wrong, path) in [
            (other, "/credential/type"), (twofold, "/credential/rawId"), (anyones, "/credential/response/userHandle"),
        ] {
            let answer = try await Self.login(wrong, on: server)
            #expect(answer.at("/error/data/errors/0/path") == .string(path), "\(answer.json)")
        }
        #expect(try await Self.login(authenticator, on: server)["result"] != nil)
    }

    @Test func `no beginning of an attestation is taken for a whole one`() async throws {
        let server = try await Self.server.value()
        let account = try await Self.account(on: server)
        let challenge = try await Self.creation(account.client)
        var authenticator = SoftwareAuthenticator()
        for length in stride(from: 1, to: 185, by: 7) {
            authenticator.distort = { Array($0.prefix(length)) }
            let credential = authenticator.created(challenge)
            let error = try await account.client.refusal("auth.add_passkey", ["name": "x", "credential": credential])
            #expect(error.at("/data/errors/0/path") == .string(Self.attestation), "\(length)")
        }
        authenticator.distort = { $0 }
        let credential = authenticator.created(challenge)
        #expect(
            try await account.client.call("auth.add_passkey", ["name": "x", "credential": credential])["id"] != nil)
    }

    @Test func `a challenge serves one addition, by the account that asked for it, and no sign-in`() async throws {
        let server = try await Self.server.value()
        let account = try await Self.account(on: server)
        let other = try await Self.account(on: server)
        let challenge = try await Self.creation(account.client)
        func refused(_ client: RPCClient, _ challenge: String) async throws -> Bool {
            let credential = SoftwareAuthenticator().created(challenge)
            let error = try await client.refusal("auth.add_passkey", ["name": "x", "credential": credential])
            return error.at("/data/errors/0/path") == .string(Self.client)
                && error["message"] == "Recommencez\u{202F}: cette demande a expiré, ou a déjà servi."
        }
        #expect(try await refused(other.client, challenge))
        #expect(try await refused(account.client, try await Self.challenge(on: server)))
        #expect(try await refused(account.client, String(challenge.reversed())))
        let authenticator = SoftwareAuthenticator()
        let credential = authenticator.created(challenge)
        _ = try await account.client.call("auth.add_passkey", ["name": "x", "credential": credential])
        #expect(try await refused(account.client, challenge))
        let signed = try authenticator.signed(try await Self.creation(account.client))
        let login = try await server.client(nil).refusal("auth.login_with_passkey", ["credential": signed])
        #expect(login.at("/data/code") == "invalid_credentials")
    }

    @Test func `an authenticator's key belongs to one account, which has twenty at most`() async throws {
        let server = try await Self.server.value()
        let account = try await Self.account(on: server)
        let authenticator = SoftwareAuthenticator()
        try await Self.add(authenticator, to: account)
        for one in [account, try await Self.account(on: server)] {
            let credential = authenticator.created(try await Self.creation(one.client))
            let error = try await one.client.refusal("auth.add_passkey", ["name": "x", "credential": credential])
            #expect(error["code"] == 409)
            #expect(error.at("/data/reason") == "unique")
            #expect(error.at("/data/errors/0/path") == "/credential/id")
        }
        _ = try await server.database.psql(
            """
            INSERT INTO kernel.passkeys (account_id, name, credential_id, public_key, sign_count, transports)
            SELECT \(account.id.json), 'x', sha256(convert_to(n || '-\(account.email)', 'UTF8')), p.public_key, 0, ''
            FROM generate_series(1, 19) n, kernel.passkeys p WHERE p.account_id = \(account.id.json)
            """)
        let credential = SoftwareAuthenticator().created(try await Self.creation(account.client))
        let full = try await account.client.refusal("auth.add_passkey", ["name": "x", "credential": credential])
        #expect(full.at("/data/reason") == "full")
        #expect(full.at("/data/max") == 20)
    }

    private struct BadSignature: CustomTestStringConvertible {
        let testDescription: String
        var change: @Sendable (inout SoftwareAuthenticator) -> Void = { _ in }
    }

    private static let badSignatures: [BadSignature] = [
        BadSignature(testDescription: "another origin") { $0.origin = "https://evil.example" },
        BadSignature(testDescription: "a frame of another site") { $0.crossOrigin = true },
        BadSignature(testDescription: "another relying party") { $0.party = "evil.example" },
        BadSignature(testDescription: "a creation in its place") { $0.type = "webauthn.create" },
        BadSignature(testDescription: "two origins") { $0.secondOrigin = "https://evil.example" },
        BadSignature(testDescription: "a frame of whatever site") { $0.crossOrigin = 0 },
        BadSignature(testDescription: "a backup of a key that has none") { $0.flags = 0x15 },
        BadSignature(testDescription: "a key that could not be backed up, and now can") { $0.flags = 0x0D },
        BadSignature(testDescription: "another key") { $0.signingKey = P256.Signing.PrivateKey() },
        BadSignature(testDescription: "an unknown passkey") { $0.id = [1, 2, 3] },
        BadSignature(testDescription: "another account") { $0.userHandle = "1" },
        BadSignature(testDescription: "nobody there") { $0.flags = 0x04 },
        BadSignature(testDescription: "nobody recognised") { $0.flags = 0x01 },
        BadSignature(testDescription: "a count that goes backwards") { $0.count = 4 },
        BadSignature(testDescription: "a count that stands still") { $0.count = 5 },
        BadSignature(testDescription: "a count that has ended") { $0.count = 0 },
    ]

    @Test(arguments: badSignatures)
    private func `a signature that is not made for this sign-in opens none`(bad: BadSignature) async throws {
        let server = try await Self.server.value()
        let account = try await Self.account(on: server)
        var authenticator = Self.authenticator(of: account)
        authenticator.count = 5
        try await Self.add(authenticator, to: account)
        let signIns = "SELECT count(*) FROM sign_ins WHERE user_id = \(account.id.json)"
        let before = try await server.database.psql(signIns)
        // With a count that has grown, so that nothing but the change is wrong.
        var wrong = authenticator
        wrong.count = 6
        bad.change(&wrong)
        let refused = try await Self.login(wrong, on: server)
        #expect(refused.at("/error/code") == 401)
        #expect(refused.at("/error/data/code") == "invalid_credentials")
        #expect(refused.at("/error/message") == "Cette clé d’accès n’ouvre pas de connexion ici.")
        #expect(try await server.database.psql(signIns) == before)
        authenticator.count = 7
        #expect(try await Self.login(authenticator, on: server)["result"] != nil)
    }

    @Test func `a key that was added before its backups were noted signs in, and one that is backed up does later`()
        async throws
    {
        let server = try await Self.server.value()
        let account = try await Self.account(on: server)
        var authenticator = Self.authenticator(of: account)
        authenticator.flags = 0x0D
        try await Self.add(authenticator, to: account)
        authenticator.flags = 0x1D
        #expect(try await Self.login(authenticator, on: server)["result"] != nil)
        authenticator.flags = 0x05
        #expect(try await Self.login(authenticator, on: server).at("/error/code") == 401)
        _ = try await server.database.psql(
            "UPDATE kernel.passkeys SET may_be_backed_up = NULL WHERE account_id = \(account.id.json)")
        #expect(try await Self.login(authenticator, on: server)["result"] != nil)
        authenticator.flags = 0x0D
        #expect(try await Self.login(authenticator, on: server).at("/error/code") == 401)
    }

    @Test func `a count may stay at zero, a signature serves once, and a deactivated account has none`() async throws {
        let server = try await Self.server.value()
        let account = try await Self.account(on: server)
        let authenticator = Self.authenticator(of: account)
        try await Self.add(authenticator, to: account)
        let credential = try authenticator.signed(try await Self.challenge(on: server))
        let nobody = try await server.client(nil)
        _ = try await nobody.call("auth.login_with_passkey", ["credential": credential])
        let again = try await nobody.refusal("auth.login_with_passkey", ["credential": credential])
        #expect(again.at("/data/code") == "invalid_credentials")
        #expect(try await Self.login(authenticator, on: server)["result"] != nil)
        _ = try await server.client().call("users.update", ["id": account.id, "values": ["is_active": false]])
        #expect(try await Self.login(authenticator, on: server).at("/error/data/code") == "invalid_credentials")
    }

    @Test func `a statement about a new passkey counts if its own key has signed it`() async throws {
        let server = try await Self.server.value()
        let account = try await Self.account(on: server)
        let authenticator = SoftwareAuthenticator()
        let challenge = try await Self.creation(account.client)
        let foreign = try authenticator.attested(challenge, by: P256.Signing.PrivateKey())
        let error = try await account.client.refusal("auth.add_passkey", ["name": "x", "credential": foreign])
        #expect(error.at("/data/errors/0/path") == .string(Self.attestation))
        let own = try authenticator.attested(challenge, by: authenticator.key)
        let added = try await account.client.call("auth.add_passkey", ["name": "x", "credential": own])
        #expect(added["name"] == "x")
    }
}
