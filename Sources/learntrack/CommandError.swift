import Auth
import DomainKit
import PostgresDriver

/// Why a command cannot do what it was asked, in one line for whoever typed it.
struct Failure: Error, CustomStringConvertible {
    let description: String

    /// - Parameter description: may come from elsewhere and have several lines.
    init(_ description: String) {
        self.description = description.split(whereSeparator: \.isNewline)
            .map { $0.trimmingPrefix(while: \.isWhitespace) }.joined(separator: " ")
    }

    /// Runs `body`; what the libraries throw becomes a sentence.
    static func translating(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as PostgresError {
            throw Failure(sentence(for: error))
        } catch let error as AuthError {
            throw Failure(sentence(for: error))
        } catch let fault as SigningSecretError {
            throw Failure("JWT_SECRET: \(fault)")
        }
    }

    static func sentence(for error: PostgresError) -> String {
        switch (error.kind, error.sqlState) {
        case (.unavailable, _): "the database cannot be reached: \(error.cause ?? error.server?.message ?? "no answer")"
        case (_, "42P01"), (_, "42703"), (_, "42883"), (_, "3F000"):
            "the database's schema is not up to date: run 'learntrack migrate up'"
        case (_, "23514"): refusal(by: error.server?.constraint)
        default: "the database: \(error.server?.message ?? error.description)"
        }
    }

    /// What the constraint asks for, in the words of the domain that has it.
    private static func refusal(by constraint: String?) -> String {
        let entities = servedDomains.flatMap(\.entities)
        let problem = constraint.flatMap { name in
            entities.lazy.compactMap { $0.problem(forConstraint: name, given: Object()) }.first
        }
        return problem?.message ?? "the database refuses the value (\(constraint ?? "no constraint named"))"
    }

    private static func sentence(for error: AuthError) -> String {
        switch error {
        case .password(let fault): fault.message
        case .emailTaken: "there is an account with this e-mail already"
        case .noSuchAccount: "there is no account with this e-mail"
        case .database(let error): sentence(for: error)
        default: "\(error)"
        }
    }
}
