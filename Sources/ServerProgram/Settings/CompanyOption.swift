import ArgumentParser
import Auth
import PostgresDriver

/// The company whose records a command is about.
struct CompanyOption: ParsableArguments {
    @Option(
        name: .customLong("company"),
        help: "The id of the company, where there are several: 'learntrack companies list'.")
    var id: Int64?

    /// Throws if there is no such company, or the command names none and there may be several.
    func check(_ owner: PostgresClient) async throws {
        guard try await CompanyAdministration(database: owner).isMeant(id) else { throw AuthError.noCompany }
    }
}
