import DomainKit
import JSON

/// The parameters that a domain declares as columns, and the rules between them: those of a loaded method, a command or
/// a view.
struct ColumnParameters: Sendable {
    let columns: ColumnSet
    let parameters: [MethodParameter<JSONValue>]

    /// - Parameters:
    ///   - areVerified: whether the database checks the parameters that rules name. It checks those of rules that only it
    ///     can check in any case.
    ///   - parsed: the names of the parameters of which not every valid value can be parsed.
    init(_ columns: [Column], rules: [Rule] = [], areVerified: Bool = false, parsed: [String] = []) {
        self.columns = ColumnSet(columns, rules: rules)
        let verified =
            rules.filter { $0.effect == .invalid && (areVerified || $0.holds == nil) }.flatMap(\.columns) + parsed
        var (ids, times) = (0, 0)
        parameters = columns.map { column in
            // The ids of an example differ: they are mostly those of several records. Its times ascend, because something
            // may begin at one and end at the next.
            if column.type == .bigint, column.isRequired { ids += 1 }
            if column.type == .time { times += 1 }
            let example: JSONValue? = column.type == .bigint && ids > 1 ? .integer(ids) : nil
            return MethodParameter(
                column, example: example, hour: 5 + 4 * max(times, 1), isVerified: verified.contains(column.name))
        }
    }

    /// The values by name, as Postgres stores them. Those that a call leaves out have their defaults, or else are null.
    ///
    /// - Precondition: the params have no problems.
    func values(in params: Params) -> [String: JSONValue] {
        Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, params[$0]) })
    }

    /// The values by name that the call gives and that have no problems. The others are for the database to default.
    func given(in params: Params) -> [String: JSONValue] {
        var values: [String: JSONValue] = [:]
        for parameter in parameters {
            guard let given = params.object[parameter.name], !given.isNull, let value = params.valid(parameter) else {
                continue
            }
            values[parameter.name] = value
        }
        return values
    }

    /// The rules that the params violate, for ``Method/Check``.
    func violations(in params: Params) -> [Problem] {
        guard !columns.rules.isEmpty else { return [] }
        var valid: [String: JSONValue] = [:]
        for parameter in parameters {
            guard let value = params.valid(parameter), !value.isNull else { continue }
            valid[parameter.name] = value
        }
        return columns.violations(by: valid, given: params.object, at: "")
    }
}
