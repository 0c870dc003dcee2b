import JWTKit

/// What an access token says. Without one of these that is not optional it does not decode, so it is not valid.
struct AccessTokenClaims: JWTPayload, Equatable {
    /// The user's id, in digits.
    var sub: String
    /// The sign-in's id.
    var sid: String
    var role: String
    /// Seconds since 1970, as are `exp` and `nbf`.
    var iat: Double
    var exp: Double
    var nbf: Double?
    var iss: String
    var aud: Audience

    /// One name or several. (jwt-kit's own type stops the process at `"aud": []`.)
    struct Audience: Codable, Sendable, Equatable {
        var names: [String]

        init(_ name: String) { names = [name] }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            do {
                names = [try container.decode(String.self)]
            } catch DecodingError.typeMismatch {
                names = try container.decode([String].self)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            if names.count == 1 { try container.encode(names[0]) } else { try container.encode(names) }
        }
    }

    /// Claims are checked by `AccessTokens`, against its own clock.
    func verify(using algorithm: some JWTAlgorithm) {}
}
