import DomainKit
import JSON
import PostgresDriver

/// What the database says about a violated rule: the constraint, and what `kernel.refuse` adds to it.
extension ServerFields {
    /// How the call is answered if its values violate a rule or a constraint that `columns` know; nil for other errors.
    ///
    /// - Parameters:
    ///   - values: the values of the call.
    ///   - path: the JSON Pointer to `values` in the call's params.
    func refusal(by columns: ColumnSet, given values: JSONObject, at path: String) -> Refusal? {
        guard let name = violated else { return nil }
        return columns.refusal(forConstraint: name, facts: facts, place: place, given: values, at: path)
    }

    /// How a call is answered that violates a rule or a constraint of `entity`.
    func refusal(by entity: Entity, given values: JSONObject, at path: String) -> Refusal? {
        guard let name = violated else { return nil }
        return entity.refusal(forConstraint: name, facts: facts, place: place, given: values, at: path)
    }

    /// The record that does not have the version that the call expects; nil for other errors.
    var outdatedRecord: OutdatedRecord? {
        guard sqlState == Self.refused, constraint == "kernel_version", case .number(let id)? = facts["id"],
            case .number(let version)? = facts["version"], case .number(let expected)? = facts["expected"]
        else { return nil }
        return OutdatedRecord(id: id, version: version, expected: expected)
    }

    /// The record that does not exist; nil if the error does not name it.
    var missingRecord: MissingRecord? {
        guard sqlState == Self.refused, hint != nil || column != nil else { return nil }
        let id = hint.flatMap { Int64($0) == nil ? nil : $0 }
        let path = column.flatMap { $0.hasPrefix("/") ? $0 : nil }
        return id == nil && path == nil ? nil : MissingRecord(id: id, path: path)
    }

    /// How a write is answered. A deletion has no values: its problems are those of `id`.
    func refusal(by write: RecordWrite) -> Refusal? {
        guard let name = violated else { return nil }
        let isDeletion = write.kind == .delete
        return write.entity.refusal(
            forConstraint: name, facts: facts, place: isDeletion ? nil : place, given: write.values,
            at: isDeletion ? "/id" : "/values")
    }

    /// The violated constraint: the name in an integrity violation, or in a data exception of a domain type.
    private var violated: String? {
        sqlState.hasPrefix("23") || sqlState.hasPrefix("22") ? constraint : nil
    }

    /// The facts that a function gave `kernel.refuse`. The detail of Postgres's own errors is no JSON.
    private var facts: JSONObject {
        guard sqlState == Self.refused, let detail, detail.utf8.count <= Self.maxFactBytes else { return JSONObject() }
        do throws(JSONError) {
            guard case .object(let facts) = try JSONReader.read(detail).value else { return JSONObject() }
            return facts
        } catch {
            return JSONObject()
        }
    }

    /// The place in the params that a function gave `kernel.refuse`.
    private var place: String? {
        guard sqlState == Self.refused, let hint, hint.hasPrefix("/") else { return nil }
        return hint
    }

    /// `integrity_constraint_violation`, which `kernel.refuse` raises. Postgres itself raises more special codes.
    private static let refused = "23000"

    /// An error must fit into every response. Facts that are longer are left out.
    private static let maxFactBytes = 1 << 20
}

extension Refusal {
    var isInvalid: Bool { problem != nil }

    var problem: Problem? {
        if case .invalid(let problem) = self { problem } else { nil }
    }
}
