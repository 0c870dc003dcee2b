import Synchronization
import TestSupport

@testable import Auth

/// A clock that a test sets, in seconds since 1970.
final class TestClock: Sendable {
    private let time: Mutex<Double>

    init(_ time: Double = 1_800_000_000) { self.time = Mutex(time) }

    var now: Double { time.withLock { $0 } }

    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
}

/// Tokens of this service with parts that a test replaces.
extension ForgedToken {
    static let secret = "un secret de test qui a plus de trente-deux octets"
    static let otherSecret = "un autre secret de test aussi long que le premier"
    static let signIn = "0f1e2d3c-4b5a-4697-8877-665544332211"

    static func make(header: String, claims: String) -> String {
        make(header: header, claims: claims, secret: secret)
    }

    /// The header of a valid token, with some members replaced, or left out where nil.
    static func header(_ changes: [String: String?] = [:]) throws -> String {
        let kid = try SigningSecret(secret).keyID
        return json(["alg": #""HS256""#, "typ": #""at+jwt""#, "kid": "\"\(kid)\""], changes)
    }

    /// The claims of a valid token issued at `now`, with some replaced, or left out where nil.
    static func claims(_ changes: [String: String?] = [:], now: Double = 1_800_000_000) -> String {
        json(
            [
                "sub": #""7""#, "sid": "\"\(signIn)\"", "role": #""user""#, "iat": String(Int(now)),
                "exp": String(Int(now) + 900), "iss": #""learntrack""#, "aud": #""learntrack""#,
            ], changes)
    }

    private static func json(_ members: [String: String], _ changes: [String: String?]) -> String {
        var members = members
        for (name, value) in changes { members[name] = value }
        return "{" + members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }
}
