import ArgumentParser
import Auth
import DomainKit

struct User: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manage the accounts.",
        subcommands: [Add.self, List.self, Disable.self, Password.self, Operator.self, Erase.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an account. The password is read from standard input, or prompted for at a terminal.")

        @Option(help: "The e-mail address to sign in with.") var email: String
        @Option(help: "What the account may do: \(Self.roleNames.joined(separator: " or ")).")
        var role: String
        @Option(help: "The name that other people see.") var username: String?
        @Option(help: "The id of the company, where there are several: 'learntrack companies list'.")
        var company: Int64?
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var files: MigrationOptions
        @OptionGroup var log: LogOptions

        private static let roleNames = Role.base.reversed().map(\.name)

        func validate() throws {
            guard Self.roleNames.contains(role) else {
                throw ValidationError("--role: \(Self.roleNames.joined(separator: " or ")) is expected, not '\(role)'")
            }
        }

        func run() async throws {
            let password = try PasswordPrompt.read(for: email)
            try await database.withDatabase(log, creating: true) { database, owner in
                try await database.migrateIfEmbedded(from: files.sources(), owner)
                let id = try await AccountAdministration(database: owner)
                    .add(email: email, username: username, role: role, password: password, company: company)
                printLine("added \(email) (\(role), id \(id))")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show all accounts, each once for each of its companies.")

        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            try await database.withDatabase(log) { _, owner in
                let accounts = try await AccountAdministration(database: owner).list()
                let width = accounts.map(\.email.count).max() ?? 0
                let hasOneCompany = Set(accounts.map(\.companyID)).count < 2
                for account in accounts {
                    let state = account.isActive ? account.isInvited ? "invited" : "active" : "disabled"
                    let password = account.hasPassword ? "" : "  (no password)"
                    let isOperator = account.isOperator ? "  (operator)" : ""
                    let name = account.username.map { "  \($0)" } ?? ""
                    let company = hasOneCompany ? "" : "  in \(account.companyName) (company \(account.companyID))"
                    printLine(
                        "\(account.email.padding(toWidth: width))  \(account.role.padding(toWidth: 5))  "
                            + "\(state.padding(toWidth: 8))\(name)\(password)\(isOperator)\(company)")
                }
            }
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deactivate an account and revoke its sign-ins.")

        @Argument(help: "The account's e-mail.") var email: String
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            try await database.withDatabase(log) { _, owner in
                let accounts = AccountAdministration(database: owner)
                try await accounts.disable(email: email)
                printLine("disabled \(email)")
                let members = try await accounts.list()
                let led = Set(
                    members.filter { $0.isActive && !$0.isInvited && $0.role == Role.admin.name }.map(\.companyID))
                let hasOneCompany = Set(members.map(\.companyID)).count < 2
                for member in members
                where member.email.lowercased() == email.lowercased() && !led.contains(member.companyID) {
                    let place = hasOneCompany ? "" : " in \(member.companyName)"
                    let option = hasOneCompany ? "" : " --company \(member.companyID)"
                    printLine(
                        "no active administrator is left\(place): add one with 'learntrack user add --email … --role "
                            + "admin\(option)'")
                }
            }
        }
    }

    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set the password of an account and revoke its sign-ins.",
            discussion: "The password is read from standard input, or prompted for at a terminal.")

        @Argument(help: "The account's e-mail.") var email: String
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            let password = try PasswordPrompt.read(for: email)
            try await database.withDatabase(log) { _, owner in
                try await AccountAdministration(database: owner).setPassword(password, email: email)
                printLine("changed the password of \(email)")
            }
        }
    }

    struct Operator: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let an account make, suspend and count companies. It reads no record of them.",
            discussion: "docs/companies.md says what operators may do.")

        @Argument(help: "The account's e-mail.") var email: String
        @Flag(help: "Take it away.") var remove = false
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            try await database.withDatabase(log) { _, owner in
                try await AccountAdministration(database: owner).setOperator(!remove, email: email)
                printLine(remove ? "\(email) is no operator any more" : "\(email) is an operator")
            }
        }
    }
}
