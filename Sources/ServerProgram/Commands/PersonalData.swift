import ArgumentParser
import DomainKit
import Glibc
import JSON
import PersonalData
import PostgresDriver

struct Erase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Erase a person: take a record's personal values out of the table and the journal.",
        discussion: """
            The record stays, with its figures and what refers to it. So does the evidence of signatures, which the law asks \
            to keep. The tables are those that a domain has declared to be about persons. Backups that were made before \
            still have the values.
            """)

    @Argument(help: "The table, by the name that methods begin with.") var table: String
    @Argument(help: "The id of the record.") var id: Int64
    @Flag(help: "Do not ask.") var yes = false
    @OptionGroup var company: CompanyOption
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var domains: DomainOptions
    @OptionGroup var log: LogOptions

    func run() async throws {
        let served = try domains.served().all
        let record = try PersonalRecord(table, id, in: served)
        try confirm(
            "Erase the personal values of \(table) \(id), also in the journal? They cannot be brought back.",
            isGiven: yes,
            orRefuse: "this cannot be undone: give --yes to erase without a question")
        try await database.withDatabase(log, company: company.id) { _, owner in
            try await company.check(owner)
            let entries = try await Erasure(domains: served, owner: owner).erase(record)
            printLine("erased \(table) \(id), and values in \(entries) entries of the journal")
        }
    }
}

extension User {
    struct Erase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Erase an account: its e-mail, name, password, sign-ins and roles, also in the journal.",
            discussion: """
                The account stays under its number, deactivated and without a name, so that the journal still says which \
                account has done what.
                """)

        @Argument(help: "The account's e-mail.") var email: String
        @Flag(help: "Do not ask.") var yes = false
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var domains: DomainOptions
        @OptionGroup var log: LogOptions

        func run() async throws {
            let served = try domains.served().all
            try confirm(
                "Erase the account \(email), also in the journal? It cannot be brought back.", isGiven: yes,
                orRefuse: "this cannot be undone: give --yes to erase without a question")
            try await database.withDatabase(log) { _, owner in
                let (id, entries) = try await Erasure(domains: served, owner: owner).eraseAccount(email: email)
                printLine("erased \(email), account \(id), and values in \(entries) entries of the journal")
            }
        }
    }
}

extension Export {
    struct Person: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write what is held about a person, as JSON on standard output.",
            usage: "learntrack export person <email>\nlearntrack export person <table> <id>",
            discussion: """
                For an e-mail: the account, the records of all companies that have it as their personal e-mail, and signatures. \
                For a record: its values, what refers to it, and the journal.
                """)

        @Argument(help: "An e-mail, or a table and an id.") var person: [String]
        @OptionGroup var company: CompanyOption
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var domains: DomainOptions
        @OptionGroup var log: LogOptions

        func validate() throws {
            switch person.count {
            case 1 where !person[0].contains("@"):
                throw ValidationError(
                    "'\(person[0])' is no e-mail: give one, or a table and the id of a record")
            case 2 where Int64(person[1]) == nil:
                throw ValidationError("'\(person[1])' is no id: the number of a record is expected after the table")
            case 1, 2: break
            default: throw ValidationError("an e-mail is expected, or a table and the id of a record")
            }
        }

        func run() async throws {
            let served = try domains.served().all
            let record = person.count == 2 ? try PersonalRecord(person[0], Int64(person[1]) ?? 0, in: served) : nil
            try await database.withDatabase(log, company: company.id) { _, owner in
                let export = PersonalExport(domains: served, owner: owner)
                let held: JSONValue
                if let record {
                    try await company.check(owner)
                    held = try await export.run(record)
                } else {
                    held = try await export.run(email: person[0])
                }
                try writeAll(Array((held.jsonText + "\n").utf8), to: STDOUT_FILENO)
            }
        }
    }
}
