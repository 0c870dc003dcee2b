/// What keeps the server from starting: everything that is not as the domains declare it.
package struct ConventionErrors: Error, Equatable, CustomStringConvertible {
    package let errors: [ConventionError]

    package init(errors: [ConventionError]) { self.errors = errors }

    package var description: String {
        errors.count == 1
            ? "\(errors[0])" : errors.map { "\n- \($0)" }.joined()
    }
}

/// A table or a function that is not as the domain declares it, or a declaration that lacks something.
package enum ConventionError: Error, Equatable, CustomStringConvertible {
    /// These parts of the domain's declaration have no label.
    case unlabelled([String], domain: String)
    /// People would know the records by a field that the entity does not have.
    case unknownTitle(String, entity: String)
    /// What a call of the migrations keeps for each row of a table, by the names of the catalogue's query.
    package enum Keeping: String, Sendable {
        case changes, journal, feed
    }

    case noTable(String)
    case noColumn(String, table: String)
    case noSequence(String, table: String)
    /// The `varchar` takes fewer characters than the text of the declaration; nil: as many as one likes.
    case otherLimit(String, declared: Int?, present: Int, table: String)
    /// The column has a type that does not take the values of the declared one.
    case otherType(String, declared: String, present: String, table: String)
    /// The declaration says whether null is allowed, and the table says otherwise.
    case otherNullability(String, declared: Bool, table: String)
    /// The foreign key of the column deletes the record with the one that it refers to, and the relation says otherwise, or the
    /// reverse.
    case otherDeletion(String, isPart: Bool, table: String)
    /// No unique index is over the column alone, or over it and the columns of the company and of the owner.
    case notUnique(String, table: String)
    /// The table's rows belong to companies, and it has no column for the company, or these keys and indexes do not begin with it.
    case noCompany([String], hasColumn: Bool, table: String)
    /// The installation serves several companies, and the table has no policy `company` for all roles that reach it; or, if it is
    /// open, a policy lets everybody reach rows and does not name the company.
    case notApart(isOpen: Bool, table: String)
    /// A company may have several rows in the table, and its entity is single.
    case notSingle(table: String)
    /// The migrations have not put the table's rows into the change feed, or into the journal, or do not count their changes.
    case notKept(Keeping, table: String)
    /// A role of the declaration has no right to the columns; without columns, to the table, sequence or schema.
    case noGrant(String, columns: String, role: String, on: String)
    /// Row-level security is on, and no policy lets the role reach a row.
    case noPolicy(String, role: String, table: String)
    /// No function of this name takes a row of the table.
    case noRowFunction(String, table: String)
    /// The migrations have not called `kernel.command_keep` for the function, or with other roles.
    case notCommandsOwn(String, command: String)
    /// Nothing in the database has the name of the rule, or refuses by it.
    case unknownRule(String, of: String)
    /// No index begins with a column of the foreign key.
    case noIndex(foreignKey: String, table: String)
    /// The foreign key leads from records of a subject to records of a subject, and does not include the column of the
    /// owner.
    case foreignKeyWithoutOwner(String, owner: String, table: String)
    /// A role can write the foreign key, and cannot read every record that it may refer to.
    case foreignKeyToUnread(String, role: String, table: String)
    /// A role that sees its own records only can violate the constraint by the records of others.
    case comparisonWithOthers(constraint: String, role: String, table: String)
    /// No foreign key leads from the column to the files, or one that deletes the record with its file, or empties the column.
    case noFileKey(column: String, table: String)
    /// The migrations have not called `kernel.file_keep` for the column, or `kernel.file_list_keep` for a member of its objects, or
    /// with other limits than those of the rule.
    case noFileCheck(column: String, table: String)
    /// There is no such function, or it does not run with the rights of its owner.
    case noCommandFunction(String, command: String)
    /// There is no such function, or the migrations have not called `kernel.worker_keep` for it.
    case noWorkerFunction(String, of: String)
    /// There is no such function, or it does not return a `bigint`, or is volatile.
    case noSuccessorFunction(String, table: String)
    /// There is no such function, or several, or it returns no set, or is volatile.
    case noFunction(String)
    /// The function has no such parameter, or no default for a parameter that calls may leave out or that the view lacks.
    case noParameter(String, function: String)

    /// Whether it is wrong for certain. The server does not start then; of what is doubtful it warns.
    package var isCertain: Bool {
        switch self {
        case .unknownRule, .otherNullability, .otherDeletion: false
        default: true
        }
    }

    /// What to do about it.
    package var remedy: String {
        switch self {
        case .unlabelled:
            "in the domain's declaration, give each column, relation and command a label:, and each word of a choice one, "
                + "as in .choice([\"new\": \"Neuf\"]); a role has a label:, too"
        case .unknownTitle: "name a column or a derived field as title:, or leave it out"
        case .noTable(let table): "in a migration: CREATE TABLE \(table) …; or leave its entity out"
        case .noColumn(let column, let table):
            "in a migration: ALTER TABLE \(table) ADD \(column) …; or leave the column out"
        case .noSequence(let sequence, let table):
            "in a migration: give \(table).id a sequence \(sequence), as bigserial does, or rename its own"
        case .noIndex(_, let table): "in a migration: CREATE INDEX ON \(table) (…)"
        case .otherLimit(_, let declared, let present, _):
            "in a migration, give the column the type \(declared.map { "varchar(\($0))" } ?? "text"), or declare "
                + ".text(maxLength: \(present))"
        case .otherType(let column, let declared, _, let table):
            "in a migration: ALTER TABLE \(table) ALTER \(column) TYPE \(declared) USING …; or declare the type that it has"
        case .otherNullability(let column, let declared, let table):
            "in a migration: ALTER TABLE \(table) ALTER \(column) \(declared ? "DROP" : "SET") NOT NULL; or declare "
                + "nullable: \(!declared)"
        case .otherDeletion(let column, let isPart, let table):
            "declare isPart: \(!isPart) in the relation; or in a migration, give the foreign key of \(table).\(column) "
                + (isPart ? "ON DELETE CASCADE" : "no action ON DELETE")
        case .notUnique(let column, let table):
            "in a migration: ALTER TABLE \(table) ADD CONSTRAINT \(table.split(separator: ".").last ?? "")_\(column)_key UNIQUE "
                + "(company_id, \(column)); or leave out unique:"
        case .notSingle(let table):
            "in a migration: CREATE UNIQUE INDEX \(table.split(separator: ".").last ?? "")_single_idx ON \(table) (company_id); or "
                + "leave out isSingle:"
        case .noCompany(_, _, let table):
            "in a migration: SELECT kernel.company_keep('\(table)'), in one call with the tables that refer to it, and SELECT "
                + "kernel.company_gin('\(table)') for GIN indexes; or declare rows: .ofInstallation"
        case .notApart(isOpen: true, table: let table):
            "in a migration: ALTER POLICY … ON \(table) USING (company_id = kernel.company() AND …), or TO the roles that it is for"
        case .notApart: "run 'learntrack companies enable' again"
        case .notKept(let keeping, let table):
            switch keeping {
            case .changes:
                "in a migration: CREATE TRIGGER … BEFORE UPDATE ON \(table) FOR EACH ROW EXECUTE FUNCTION "
                    + "kernel.note_change()"
            case .journal: "in a migration: SELECT kernel.journal_keep('\(table)'); or declare isInJournal: false"
            case .feed: "in a migration: SELECT kernel.feed_keep('\(table)'); or declare isInFeed: false"
            }
        case .noGrant(let privilege, let columns, let role, let object):
            "in a migration: GRANT \(privilege)\(columns.isEmpty ? "" : " (\(columns))") ON \(object) TO \(role)"
        case .noPolicy(let privilege, let role, let table):
            "in a migration: CREATE POLICY … ON \(table) FOR \(privilege) TO \(role) …"
        case .notCommandsOwn(let function, _):
            "in a migration: SELECT kernel.command_keep(…, '\(function)', VARIADIC …) with the roles of the command"
        case .unknownRule: "name the constraint or index, or what a function passes to kernel.refuse"
        case .foreignKeyWithoutOwner, .foreignKeyToUnread, .comparisonWithOthers, .noFileKey, .noFileCheck,
            .noCommandFunction,
            .noWorkerFunction, .noSuccessorFunction, .noRowFunction, .noFunction, .noParameter:
            "mend it in a migration, or in the declaration"
        }
    }

    package var description: String { "\(mistake); \(remedy)" }

    /// What is wrong, without the remedy.
    package var mistake: String {
        switch self {
        case .unlabelled(let places, let domain):
            "the domain \(domain) has no label for \(places.joined(separator: ", "))"
        case .unknownTitle(let title, let entity): "the entity \(entity) has no field \(title) to be known by"
        case .otherLimit(let column, let declared, let present, let table):
            "the column \(column) of the table \(table) takes \(present) characters, and its declaration "
                + (declared.map(String.init) ?? "any number")
        case .otherType(let column, let declared, let present, let table):
            "the column \(column) of the table \(table) is a \(present), and its declaration a \(declared)"
        case .otherNullability(let column, let declared, let table):
            declared
                ? "the column \(column) of the table \(table) is NOT NULL, and its declaration allows null"
                : "the column \(column) of the table \(table) may be null, and its declaration does not allow it"
        case .otherDeletion(let column, let isPart, let table):
            isPart
                ? "a record of \(table) is not deleted with the one that \(column) refers to"
                : "a record of \(table) is deleted with the one that \(column) refers to"
        case .notUnique(let column, let table): "no unique index of \(table) is over the column \(column)"
        case .noCompany(let names, let hasColumn, let table):
            hasColumn
                ? "these keys and indexes of the table \(table) do not begin with company_id: \(names.joined(separator: ", "))"
                : "the rows of the table \(table) have no company"
        case .notApart(let isOpen, let table):
            isOpen
                ? "a policy of \(table) lets everybody reach rows of every company"
                : "no policy of \(table) keeps the rows of companies apart for all roles that reach them"
        case .notSingle(let table): "no unique index keeps a company from having a second row in \(table)"
        case .notKept(let keeping, let table):
            switch keeping {
            case .changes: "no trigger counts the changes of the rows of \(table)"
            case .journal: "the journal has no changes of the table \(table)"
            case .feed: "the change feed has no changes of the table \(table)"
            }
        case .noGrant(let privilege, let columns, let role, let object):
            "the role \(role) has no right to \(privilege)\(columns.isEmpty ? "" : " (\(columns))") on \(object)"
        case .noPolicy(let privilege, let role, let table):
            "no policy of \(table) lets the role \(role) \(privilege) a row"
        case .noRowFunction(let function, let table):
            "there is no STABLE or IMMUTABLE function \(function), in the schema of \(table), that takes a row of it"
        case .notCommandsOwn(let function, let command):
            "the function \(function) of the command \(command) belongs to no role of commands, or others may execute it than those "
                + "that the command names"
        case .unknownRule(let rule, let name):
            "the rule \(rule) of \(name) has the name of no constraint or index, and no function says that it refuses by it"
        case .noFunction(let function): "there is no single STABLE function \(function) that returns a set"
        case .noParameter(let parameter, let function):
            "the function \(function) has no parameter \(parameter), or no default for it"
        case .noTable(let table): "the table \(table) does not exist"
        case .noColumn(let column, let table): "the table \(table) has no column \(column)"
        case .noIndex(let key, let table):
            "the foreign key \(key) of the table \(table) has no index that begins with one of its columns"
        case .foreignKeyWithoutOwner(let key, let owner, let table):
            "the foreign key \(key) of the table \(table) does not include the column \(owner), "
                + "so that a record could refer to a record of another owner"
        case .foreignKeyToUnread(let key, let role, let table):
            "the role \(role) may write the foreign key \(key) of the table \(table) and cannot read every record that it "
                + "refers to, so that its refusals show which exist; make them readable, or name the key among the entity's "
                + "disclosingConstraints"
        case .comparisonWithOthers(let constraint, let role, let table):
            "the constraint \(constraint) of the table \(table) compares the records of the role \(role) with those of "
                + "others, so that its refusals show their values; let it include the column of the owner, or name it among "
                + "the entity's disclosingConstraints"
        case .noFileKey(let column, let table):
            "the column \(column) of the table \(table) names files and has no foreign key to kernel.files, or one with "
                + "an action ON DELETE"
        case .noFileCheck(let column, let table):
            "the column \(column) of the table \(table) names files and needs a call of kernel.file_keep, or of "
                + "kernel.file_list_keep for files that its objects name, with the limits of the rule"
        case .noCommandFunction(let function, let command):
            "the command \(command) needs the function \(function) as SECURITY DEFINER"
        case .noWorkerFunction(let function, let name):
            "\(name) needs the function \(function), passed to kernel.worker_keep"
        case .noSuccessorFunction(let function, let table):
            "the successors of \(table) need the STABLE function \(function) that returns bigint"
        case .noSequence(let sequence, let table):
            "the table \(table) does not take its id from a sequence of its own that is named \(sequence)"
        }
    }
}
