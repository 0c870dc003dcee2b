import DomainKit
import JSON

extension Field {
    /// How SQL computes a derived field from a row.
    enum Computation: Sendable {
        /// By the function of this name.
        case function(String)
        /// By a subquery over related records.
        case figure(FigureSQL)
    }

    /// Nil for a figure about records that the role may not read.
    ///
    /// - Parameters:
    ///   - schema: that of the entity.
    ///   - known: all tables, by entity.
    static func expression(
        of derived: DerivedField, on entity: Entity, in schema: String, _ known: [String: KnownTable]
    ) -> Computation? {
        switch derived.source {
        case .function(let function): .function(SQLIdentifier.sql(function, in: schema))
        case .figure(let figure): FigureSQL(figure, of: derived.type, on: entity, known).map { .figure($0) }
        }
    }
}

/// A number about the records of a to-many relation, as a subquery that Postgres evaluates for each row that needs it.
struct FigureSQL: Sendable {
    /// `SELECT count(*) FROM bookshop.books r WHERE r.author_id = `
    private let beginning: String
    /// ` AND r.state = 'printed'`
    private let conditions: String
    /// `::bigint`, where Postgres's own type is wider.
    private let cast: String

    /// Aliases of statements are `t` with a number.
    private static let alias = "r"

    /// Nil if the role may not read the records, or if no served domain has them.
    init?(_ figure: RelatedFigure, of type: FieldType, on entity: Entity, _ known: [String: KnownTable]) {
        guard let relation = entity.relation(named: figure.relation), case .toMany(let key) = relation.kind,
            let target = known[relation.target], target.rights.isReadable
        else { return nil }
        func column(_ name: String) -> String { "\(Self.alias).\(SQLIdentifier.sql(name))" }
        let computed =
            switch figure.computation {
            case .count: "count(*)"
            case .sum(let name): "coalesce(sum(\(column(name))), 0)"
            case .least(let name): "min(\(column(name)))"
            case .greatest(let name): "max(\(column(name)))"
            }
        beginning = "SELECT \(computed) FROM \(target.sql) \(Self.alias) WHERE \(column(key)) = "
        conditions =
            target.rights.clause(on: "\(Self.alias).", subject: [target.rights.ownColumn(for: .read)])
            + figure.conditions.map { condition in
                " AND "
                    + condition.sql(on: column(condition.column), target.entity.column(named: condition.column)?.type)
            }.joined()
        if case .sum = figure.computation { cast = "::\(type.argument)" } else { cast = "" }
    }

    /// `(SELECT count(*) FROM bookshop.books r WHERE r.author_id = t0.id)`
    func expression(on alias: String) -> String { "(\(beginning)\(alias).id\(conditions))\(cast)" }
}

extension RelatedFigure.Condition {
    /// - Parameters:
    ///   - column: the column in SQL.
    ///   - type: its type; nil if there is no such column, which the server refuses when it starts.
    fileprivate func sql(on column: String, _ type: FieldType?) -> String {
        let literals = values.filter { !$0.isNull }.map { value in
            do throws(ValueError) {
                guard let type else { return "NULL" }
                let text = try type.postgresText(of: value)
                return type.isBareInJSON ? text : SQLIdentifier.literal(text)
            } catch {
                return "NULL"
            }
        }
        let list = literals.joined(separator: ", ")
        var tests: [String] = []
        if !literals.isEmpty { tests.append(literals.count == 1 ? "\(column) = \(list)" : "\(column) IN (\(list))") }
        if values.contains(where: \.isNull) { tests.append("\(column) IS NULL") }
        let test = tests.count == 1 ? tests[0] : "(\(tests.joined(separator: " OR ")))"
        // A comparison with null is null: such a record is not excluded.
        return isExcluded ? "(\(test)) IS NOT TRUE" : test
    }
}
