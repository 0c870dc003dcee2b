import DomainKit
import JSON

/// The resolution of one call's params: looks names up, checks values, and collects the statement's parameters and all
/// problems. Extensions resolve the parts of the params into shapes, one file for each part.
///
/// A method that returns nil or an empty shape for invalid params has added a problem to ``diagnostics``.
struct Resolution {
    let schema: Schema
    let limits: CallLimits
    var diagnostics: Diagnostics
    /// The values of the statement's parameters, in order.
    private(set) var parameters: [String?] = []
    private(set) var parameterBytes = 0
    /// The call's `variables`.
    private let variables: [String: JSONValue]
    /// The names of ``variables``, in the order of the call.
    private let variableNames: [String]
    var usedVariables: Set<String> = []
    var counts = Counts()
    var visitedFields = 0
    /// Whether the current condition is inside a `not`, where false and null lead to different results.
    var isNegated = false

    init(schema: Schema, limits: CallLimits, variables: JSONObject = JSONObject()) {
        self.schema = schema
        self.limits = limits
        self.variables = Dictionary(
            variables.members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        variableNames = variables.members.map(\.name)
        diagnostics = Diagnostics(maximum: limits.problems)
    }

    /// What counts towards the limits of filters.
    struct Counts {
        var conditions = 0
        var relations = 0
    }

    /// Whether the rest of the params need not be examined, because they exceed a limit anyway. A short text can use one
    /// variable a thousand times, and the variable can hold a list of a hundred thousand values.
    var isExhausted: Bool {
        diagnostics.isFull || counts.conditions > limits.conditions || counts.relations > limits.filterRelations
            || parameterBytes > limits.parameterBytes
    }

    // MARK: Parameters

    /// Adds a parameter and returns its slot.
    mutating func slot(for text: String?, at location: SourceLocation? = nil) -> Int {
        let wasWithinLimit = parameterBytes <= limits.parameterBytes
        parameterBytes = saturatingSum(parameterBytes, text?.utf8.count ?? 0)
        if wasWithinLimit, parameterBytes > limits.parameterBytes {
            diagnostics.add(
                .valuesTooLong(maxBytes: limits.parameterBytes), at: location ?? .pointer("/variables"))
        }
        parameters.append(text)
        return parameters.count - 1
    }

    /// Adds a parameter that follows from a value of the call, and does not count towards the limit of its values.
    mutating func derivedSlot(for text: String) -> Int {
        parameters.append(text)
        return parameters.count - 1
    }

    /// Starts with the parameters and counts of a cached selection.
    mutating func adopt(_ prepared: PreparedSelection) {
        parameters = prepared.parameters
        parameterBytes = prepared.parameterBytes
        counts = prepared.counts
    }

    // MARK: Values

    /// The outermost level of a value, with a variable replaced by its value. Nil for a missing variable or a bare word,
    /// and when the resolution is exhausted.
    mutating func open(_ located: LocatedValue) -> LocatedValue.Form? {
        guard !isExhausted else { return nil }
        switch located.form {
        case .variable(let name):
            usedVariables.insert(name)
            guard let value = variables[name] else {
                diagnostics.add(.missingVariable(name), at: located.location)
                return nil
            }
            return LocatedValue(value, at: Self.location(ofVariable: name)).form
        case .enumValue(let word):
            diagnostics.add(.unquotedWord(word), at: located.location)
            return nil
        case let form:
            return form
        }
    }

    /// Whether the value is null, or a variable with the value null.
    mutating func isNull(_ located: LocatedValue) -> Bool {
        switch located.form {
        case .scalar(.null): return true
        case .variable(let name) where variables[name]?.isNull ?? false:
            usedVariables.insert(name)
            return true
        default: return false
        }
    }

    /// The text of a scalar as a parameter of `type`.
    mutating func text(of value: JSONValue, as type: FieldType, at location: SourceLocation) -> String? {
        do throws(ValueError) {
            return try type.postgresText(of: value)
        } catch {
            diagnostics.add(.invalidValue(error), at: location)
            return nil
        }
    }

    /// Whether a name in the call may be compared with known names. Swift sorts the combining marks of texts that it
    /// compares, in time that is quadratic in their number. No known name exceeds this length.
    static func isComparable(_ name: String) -> Bool { name.utf8.count <= 512 }

    // MARK: Variables

    var hasVariables: Bool { !variables.isEmpty }

    private static func location(ofVariable name: String) -> SourceLocation { .pointer("/variables").member(name) }

    /// The location to report problems of a value at. For a variable it is that of the variable's value.
    func location(of located: LocatedValue) -> SourceLocation {
        if case .variable(let name) = located.form, variables[name] != nil {
            return Self.location(ofVariable: name)
        }
        return located.location
    }

    /// Reports variables that are not used: they are probably misspelled.
    mutating func checkVariables() {
        let unused = variableNames.lazy.filter { [usedVariables] in !usedVariables.contains($0) }
        guard unused.first != nil else { return }
        let used = usedVariables.sorted()
        for name in unused where !diagnostics.isFull {
            diagnostics.add(
                .unusedVariable(name, suggestion: diagnostics.nearest(to: name, among: used)),
                at: Self.location(ofVariable: name))
        }
    }

    // MARK: Simple params

    /// A param of the call; nil when it is absent or null, which is the same in GraphQL.
    func given(_ name: String, in params: JSONObject) -> LocatedValue? {
        guard let value = params[name], !value.isNull else { return nil }
        return LocatedValue(value, at: .pointer("/\(name)"))
    }

    /// `id`: an integer from 1.
    mutating func id(_ params: JSONObject) -> String? {
        let location = SourceLocation.pointer("/id")
        guard let value = params["id"] else {
            diagnostics.add(.missingID, at: location)
            return nil
        }
        do throws(ValueError) {
            return try RecordID.text(of: value)
        } catch {
            diagnostics.add(.invalidValue(error), at: location)
            return nil
        }
    }

    /// `if_version`; nil when it is absent or invalid.
    mutating func version(_ params: JSONObject) -> String? {
        guard let value = params["if_version"] else { return nil }
        return text(of: value, as: .integer, at: .pointer("/if_version"))
    }

    /// The problems of `values`. The columns that name the subject of the record are neither accepted nor required.
    private func problems(in values: JSONObject, of table: Table, for kind: WriteKind) -> [Problem] {
        let own = table.ownColumns(in: kind)
        guard !own.isEmpty else { return table.entity.problems(in: values, for: kind) }
        let given = values.members.filter { own.contains($0.name) }.map { member in
            let problem = QueryProblem.ownColumn(member.name)
            return Problem(
                path: "/values".appendingPointer(member.name), code: problem.code, message: problem.message)
        }
        let others = JSONObject(values.members.filter { !own.contains($0.name) })
        let paths = Set(own.map { "/values".appendingPointer($0) })
        return given + table.entity.problems(in: others, for: kind).filter { !paths.contains($0.path) }
    }

    /// `values`, checked by the entity's own rules and sorted by column, so that calls with the same columns share one
    /// statement.
    mutating func values(_ params: JSONObject, of table: Table, for kind: WriteKind) -> [(field: Field, text: String?)]
    {
        let location = SourceLocation.pointer("/values")
        let object: JSONObject
        switch params["values"] {
        case .object(let given)?: object = given
        case nil where kind != .create: object = JSONObject()
        case nil:
            diagnostics.add(.missingValues, at: location)
            return []
        default:
            diagnostics.add(.expectedValuesObject, at: location)
            return []
        }
        let problems = problems(in: object, of: table, for: kind)
        guard problems.isEmpty else {
            diagnostics.add(problems)
            return []
        }
        var values: [(field: Field, text: String?)] = []
        for member in object.members {
            guard let field = table.writtenField(named: member.name) else { continue }
            let text =
                member.value.isNull ? nil : text(of: member.value, as: field.type, at: location.member(member.name))
            values.append((field, text))
        }
        return values.sorted { $0.field.position < $1.field.position }
    }
}
