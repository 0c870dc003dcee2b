import DomainKit
import QueryCompiler

/// A file of `functions/` for its author to finish: the name, parameters, result and rights of a function that the declaration names.
package struct FunctionFile: Sendable, Equatable {
    /// `lend_book.sql`
    package let name: String
    package let sql: String
}

extension Domain {
    /// The function of a command. That of one that opens the only record of an entity is whole.
    func file(of command: Command) -> FunctionFile {
        if let single = entities.first(where: { command.opens($0) }) { return opening(single, by: command) }
        let rules = command.rules.map { rule in
            "    -- To do: PERFORM kernel.refuse(\(SQLIdentifier.literal(rule.constraint))), where this holds: \(rule.message)\n"
        }.joined()
        return FunctionFile(
            name: command.function.fileName,
            sql: """
                -- \(command.name): \(command.summary)
                CREATE OR REPLACE FUNCTION \(command.declaredFunction) RETURNS \(command.answers.sqlType)
                    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
                AS $$
                BEGIN
                \(rules)    -- To do: \(command.answers.duty)
                    RAISE EXCEPTION '\(command.name) is not written yet' USING ERRCODE = 'feature_not_supported';
                END
                $$;

                \(keeping(command))

                """)
    }

    private func keeping(_ command: Command) -> String {
        let callers = command.roles.roles.map(\.databaseRole).sorted().map(SQLIdentifier.literal)
        return "SELECT kernel.command_keep('\(name)', '\(command.signature)', \(callers.joined(separator: ", ")));"
    }

    /// The function that makes the only record, and the defaults of the columns by which other records refer to it.
    private func opening(_ single: Entity, by command: Command) -> FunctionFile {
        let table = "\(SQLIdentifier.sql(schema)).\(SQLIdentifier.sql(single.name))"
        let defaults = entities.flatMap { entity in
            entity.relations.compactMap { relation -> String? in
                guard case .toOne(let column) = relation.kind, relation.target == single.name,
                    command.parameters.isEmpty,
                    entity.column(named: column)?.access == .readOnly
                else { return nil }
                let other = "\(SQLIdentifier.sql(schema)).\(SQLIdentifier.sql(entity.name))"
                return
                    "ALTER TABLE \(other) ALTER COLUMN \(SQLIdentifier.sql(column)) SET DEFAULT \(command.signature);"
            }
        }
        return FunctionFile(
            name: command.function.fileName,
            sql: """
                -- \(command.name): the only record, which the first call makes.
                CREATE OR REPLACE FUNCTION \(command.declaredFunction) RETURNS bigint
                    LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
                AS $$
                    SELECT kernel.only(\(SQLIdentifier.literal(table)))
                $$;

                \(([keeping(command)] + (defaults.isEmpty ? [] : ["", "-- New records refer to it."] + defaults)).joined(separator: "\n"))

                """)
    }

    /// The function of a derived field.
    func file(of field: DerivedField, _ function: String, on entity: Entity) -> FunctionFile {
        let row = "\(SQLIdentifier.sql(schema)).\(SQLIdentifier.sql(entity.name))"
        return FunctionFile(
            name: "\(function).sql",
            sql: """
                -- \(entity.name).\(field.name): \(field.summary)
                CREATE OR REPLACE FUNCTION \(SQLIdentifier.sql(schema)).\(SQLIdentifier.sql(function))(record \(row)) RETURNS \(field.type.argument)
                    LANGUAGE sql STABLE PARALLEL SAFE
                    RETURN NULL::\(field.type.argument);  -- To do: an expression over (record).… IMMUTABLE if it depends on the row alone.

                """)
    }

    /// The function of a view.
    func file(of view: Entity) -> FunctionFile {
        let parameters = view.parameters.map { parameter in
            "\(SQLIdentifier.sql(parameter.name)) \(parameter.type.argument)"
                + (parameter.isRequired ? "" : " DEFAULT NULL")
        }
        let columns = view.columns.map { "\(SQLIdentifier.sql($0.name)) \($0.type.argument)" }
        let empty = view.columns.map { "NULL::\($0.type.argument)" }
        return FunctionFile(
            name: "\(view.sourceName).sql",
            sql: """
                -- The view \(view.name).
                CREATE OR REPLACE FUNCTION \(SQLIdentifier.sql(schema)).\(SQLIdentifier.sql(view.sourceName))(\(parameters.joined(separator: ", ")))
                    RETURNS TABLE (\(columns.joined(separator: ", ")))
                    LANGUAGE sql STABLE PARALLEL SAFE
                BEGIN ATOMIC
                    -- To do: the rows. An id is unique among them, and the same for the same parameters.
                    SELECT \(empty.joined(separator: ", ")) WHERE false;
                END;

                """)
    }

    /// A function that the server calls by itself.
    func file(ofWorker function: String, _ parameters: String, for purpose: String) -> FunctionFile {
        FunctionFile(
            name: function.fileName,
            sql: """
                -- \(purpose)
                CREATE OR REPLACE FUNCTION \(function)(\(parameters)) RETURNS void
                    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
                AS $$
                BEGIN
                    -- To do.
                    RAISE EXCEPTION '\(function) is not written yet' USING ERRCODE = 'feature_not_supported';
                END
                $$;

                SELECT kernel.worker_keep('\(name)', '\(function)(\(parameters))');

                """)
    }
}

extension String {
    /// The file of the function `bookshop.lend_book`: `lend_book.sql`.
    fileprivate var fileName: String { (split(separator: ".").last.map(String.init) ?? self) + ".sql" }
}

extension Command {
    /// `bookshop.lend_book(bigint, text)`
    fileprivate var signature: String {
        "\(function)(\(argumentTypes.map(\.argument).joined(separator: ", ")))"
    }

    /// `bookshop.lend_book(given_id bigint, given_reader text)`. The server gives the arguments by their places, and a name of a column
    /// would be ambiguous in the body.
    fileprivate var declaredFunction: String {
        let parameters = zip(parameters, argumentTypes).map {
            "\(SQLIdentifier.sql("given_\($0.name)")) \($1.argument)"
        }
        return "\(function)(\(parameters.joined(separator: ", ")))"
    }
}

extension Command.Answers {
    fileprivate var sqlType: String {
        switch self {
        case .record: "bigint"
        case .records: "bigint[]"
        case .value: "jsonb"
        case .nothing: "void"
        }
    }

    fileprivate var duty: String {
        switch self {
        case .record(let entity): "RETURN the id of the record of \(entity), or null if there is none."
        case .records(let entity, _): "RETURN the ids of the records of \(entity)."
        case .value: "RETURN jsonb_build_object(…) of the declared shape."
        case .nothing: "what it does."
        }
    }
}
