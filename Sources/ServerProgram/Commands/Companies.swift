import ArgumentParser
import Auth
import PostgresDriver

struct Companies: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve several companies in one installation: list, add, rename, suspend, move and erase them.",
        discussion: "docs/companies.md says what companies have of their own, and what psql needs afterwards.",
        subcommands: [
            Enable.self, List.self, Add.self, Rename.self, Suspend.self, Resume.self, Export.self, Import.self,
            Move.self, Erase.self,
        ])

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let the installation serve several companies. It cannot be taken back.",
            discussion: """
                Servers go on serving meanwhile. It refuses while one of an older version does, which would find nothing any more \
                afterwards. The database first keeps companies apart; \
                the command waits until running servers have learnt it, and lets the database then show nothing to who names no \
                company. It may be stopped at any point, and run again.
                """)

        /// Longer than a server takes to learn it and a read to find a connection.
        private static let seconds = 10

        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            try await database.withDatabase(log) { _, owner in
                guard try await Self.enable(owner) else {
                    printLine("several companies are enabled already")
                    return
                }
                printLine("enabled: add a company with 'learntrack companies add NAME --admin EMAIL'")
            }
        }

        /// Takes both steps, or those that are left.
        ///
        /// - Returns: false if none was left.
        @discardableResult
        static func enable(_ owner: PostgresClient) async throws -> Bool {
            let companies = CompanyAdministration(database: owner)
            let stage = try await companies.stage()
            if stage != .closed { try await requireCurrentServers(owner) }
            // Again, for tables that were added by hand.
            try await companies.enable()
            guard stage != .closed else { return false }
            printLine("waiting \(seconds) s until running servers name the company in each read")
            try await Task.sleep(for: .seconds(seconds))
            // Another may have started meanwhile.
            try await requireCurrentServers(owner)
            try await companies.close()
            return true
        }

        /// Throws if a server of an older version uses the database: its reads name no company.
        private static func requireCurrentServers(_ owner: PostgresClient) async throws {
            let older = try await RunningServer.all(owner).filter(\.isOlder)
            guard older.isEmpty else {
                throw CommandError(
                    "servers of an older version use the database: \(older.map(\.description).joined(separator: ", ")): end them, or "
                        + "let them run LearnTrack \(ServerProgram.version), and run 'learntrack companies enable' again"
                )
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show all companies.")

        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            try await database.withDatabase(log) { _, owner in
                let companies = try await CompanyAdministration(database: owner).list()
                let ids = companies.map { String($0.id).count }.max() ?? 0
                let names = companies.map(\.name.count).max() ?? 0
                for company in companies {
                    let members = "\(company.members) \(company.members == 1 ? "member" : "members")"
                    printLine(
                        "\(String(company.id).padding(toWidth: ids))  \(company.name.padding(toWidth: names))  "
                            + "\(members.padding(toWidth: 12))  since \(company.since)"
                            + company.state)
                }
            }
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a company, with its first administrator.",
            discussion: """
                The person is invited by mail, which a running server sends, if --smtp-url is given as it is to the server. \
                Otherwise an account that has the e-mail is a member at once, and the password of a new one is read from standard \
                input, or prompted for at a terminal.
                """)

        @Argument(help: "The name of the company.") var name: String
        @Option(help: "The e-mail address of its first administrator.") var admin: String
        @Option(Settings.smtpURL) var smtpURL: String?
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        func validate() throws {
            try Companies.validate(name: name)
            guard admin.contains("@") else {
                throw ValidationError("--admin: an e-mail address is expected, not '\(admin)'")
            }
        }

        func run() async throws {
            let isMailed = try Settings.smtpURL.value(smtpURL) != nil
            try await database.withDatabase(log) { _, owner in
                let companies = CompanyAdministration(database: owner)
                guard try await companies.stage() == .closed else {
                    throw CommandError("the installation serves one company: run 'learntrack companies enable' first")
                }
                try await Companies.check(name, isFreeIn: companies)
                let isKnown = try await companies.isKnown(email: admin)
                let password = try isKnown || isMailed ? nil : PasswordPrompt.read(for: admin)
                let (id, admission) = try await companies.add(
                    name: name, admin: admin, password: password, invites: isMailed)
                let how =
                    switch admission {
                    case .member: "\(admin), who has an account, administers it"
                    case .invited: "a mail invites \(admin) to administer it"
                    case .password: "\(admin) administers it, with the password that was given"
                    }
                printLine("added \(name) (id \(id)): \(how)")
            }
        }
    }
}

extension Companies {
    struct Rename: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Give a company another name.")

        @Argument(help: "The id of the company: 'learntrack companies list'.") var id: Int64
        @Argument(help: "Its new name.") var name: String
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        func validate() throws { try Companies.validate(name: name) }

        func run() async throws {
            try await database.withDatabase(log) { _, owner in
                let companies = CompanyAdministration(database: owner)
                try await Companies.check(name, isFreeIn: companies, but: id)
                try await Companies.found(id) { () async throws(AuthError) in
                    try await companies.rename(id, to: name)
                }
                printLine("company \(id) is called \(name)")
            }
        }
    }

    struct Suspend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Answer no call in a company any more, until it is resumed.",
            discussion:
                "Nothing is lost: jobs and messages of the company wait. Running servers know it within a second.")

        @Argument(help: "The id of the company: 'learntrack companies list'.") var id: Int64
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            try await database.withDatabase(log) { _, owner in
                let companies = CompanyAdministration(database: owner)
                let company = try await companies.list().first { $0.id == id }
                if case .moved(let place)? = company?.move {
                    throw CommandError("company \(id) has moved to \(place): nobody is served here any more")
                }
                if company?.isErasing == true { throw CommandError(Companies.isErasing(id)) }
                try await Companies.found(id) { () async throws(AuthError) in try await companies.suspend(id, true) }
                printLine("suspended company \(id): 'learntrack companies resume \(id)' serves it again")
            }
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Serve a company again that was suspended.")

        @Argument(help: "The id of the company: 'learntrack companies list'.") var id: Int64
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            try await database.withDatabase(log) { _, owner in
                let companies = CompanyAdministration(database: owner)
                let company = try await companies.list().first { $0.id == id }
                if case .moved(let place)? = company?.move {
                    throw CommandError(
                        "company \(id) has moved to \(place) and goes on there: it cannot be served here again")
                }
                if company?.isErasing == true { throw CommandError(Companies.isErasing(id)) }
                try await Companies.found(id) { () async throws(AuthError) in try await companies.suspend(id, false) }
                printLine("resumed company \(id)")
            }
        }
    }

    static func validate(name: String) throws {
        guard name.contains(where: { !$0.isWhitespace }), name.count <= 100 else {
            throw ValidationError("a name of 1 to 100 characters is expected")
        }
        let isLine = !name.unicodeScalars.contains { scalar in controls.contains { $0.contains(scalar.value) } }
        guard isLine, name.first?.isWhitespace == false, name.last?.isWhitespace == false else {
            throw ValidationError("a name of one line is expected, without control characters or spaces around it")
        }
    }

    /// As the database has them: kernel.is_line.
    private static let controls: [ClosedRange<UInt32>] = [
        0x01...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x61C...0x61C, 0x200B...0x200B, 0x200E...0x200F, 0x2028...0x202E,
        0x2060...0x206F, 0xFEFF...0xFEFF,
    ]

    private static func isErasing(_ id: Int64) -> String {
        "the removal of company \(id) has begun: 'learntrack companies erase \(id) --confirm NAME' completes it"
    }

    /// Throws if another company than `own` has the name.
    fileprivate static func check(
        _ name: String, isFreeIn companies: CompanyAdministration, but own: Int64? = nil
    ) async throws {
        let existing = try await companies.list()
        if let same = existing.first(where: { $0.id != own && $0.name.lowercased() == name.lowercased() }) {
            throw CommandError("company \(same.id) has this name already: people could not tell the two apart")
        }
    }

    /// Changes a company; throws if there is none of this id.
    fileprivate static func found(_ id: Int64, _ change: () async throws(AuthError) -> Void) async throws {
        do throws(AuthError) {
            try await change()
        } catch .noCompany {
            throw CommandError("there is no company \(id): 'learntrack companies list' shows them")
        }
    }
}
