import DomainKit

/// The state of turning one call's params into a shape and its parameters: names are looked up, values checked, all
/// problems collected. The parts of params are resolved in extensions, a file each.
struct Resolution {
    let schema: Schema
    let limits: Limits
    var diagnostics: Diagnostics
    /// The values of the statement's parameters, in order.
    private(set) var parameters: [String?] = []
    private var parameterBytes = 0
    /// Of the call's `variables`.
    private let variables: [String: Value]
    /// As the call gives them.
    private let variableNames: [String]
    var usedVariables: Set<String> = []
    var counts = Counts()
    var visitedFields = 0
    /// Whether the condition at hand stands inside a `not`, where a part that is false is not a part that is null.
    var isNegated = false

    init(schema: Schema, limits: Limits, variables: Object = Object()) {
        self.schema = schema
        self.limits = limits
        self.variables = Dictionary(
            variables.members.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        variableNames = variables.members.map(\.name)
        diagnostics = Diagnostics(maximum: limits.problems)
    }

    /// What conditions cost, apart from their values.
    struct Counts {
        var conditions = 0
        var relations = 0
    }

    var hasVariables: Bool { !variables.isEmpty }

    /// Whether there is no use in going on: a text of a few bytes can name the same variable a thousand times, and with it
    /// a list of a hundred thousand.
    var isExhausted: Bool {
        diagnostics.isFull || counts.conditions > limits.conditions || counts.relations > limits.filterRelations
            || parameterBytes > limits.parameterBytes
    }

    /// Adds a parameter and returns its slot.
    mutating func slot(for text: String?, at location: SourceLocation? = nil) -> Int {
        let isWithin = parameterBytes <= limits.parameterBytes
        parameterBytes = saturatingSum(parameterBytes, text?.utf8.count ?? 0)
        if isWithin, parameterBytes > limits.parameterBytes {
            diagnostics.add(
                .tooLong, at: location ?? .pointer("/variables"),
                "Les valeurs de cet appel, répétées partout où leurs variables sont nommées, dépassent"
                    + " \(limits.parameterBytes) octets.")
        }
        parameters.append(text)
        return parameters.count - 1
    }

    /// Begins with what a selection that is known already brings along.
    mutating func adopt(_ prepared: PreparedSelection) {
        parameters = prepared.parameters
        counts = prepared.counts
    }

    /// One level of a value, variables replaced by what they stand for; nil, the problem noted, for a missing one, and
    /// once there is no use in going on.
    mutating func open(_ located: LocatedValue) -> LocatedValue.Form? {
        guard !isExhausted else { return nil }
        switch located.form {
        case .variable(let name):
            guard let value = variables[name] else {
                usedVariables.insert(name)
                diagnostics.add(
                    .required, at: located.location,
                    "La variable \("$\(name)".quotedInFrench) manque\u{A0}: donnez-lui une valeur dans"
                        + " \("variables".quotedInFrench).")
                return nil
            }
            usedVariables.insert(name)
            return LocatedValue(value, at: Self.location(ofVariable: name)).form
        case .word(let word):
            diagnostics.add(
                .type, at: located.location, "Mettez \(word.quotedInFrench) entre guillemets.")
            return nil
        case let form:
            return form
        }
    }

    /// Whether the value is null, or a variable that stands for null.
    mutating func isNull(_ located: LocatedValue) -> Bool {
        switch located.form {
        case .scalar(.null): return true
        case .variable(let name) where variables[name]?.isNull ?? false:
            usedVariables.insert(name)
            return true
        default: return false
        }
    }

    /// Whether a name of the call may be compared with known ones: Swift puts the combining marks of texts it compares in
    /// order, which takes time that grows with the square of how many there are. No known name is as long.
    static func isComparable(_ name: String) -> Bool { name.utf8.count <= 512 }

    private static func location(ofVariable name: String) -> SourceLocation { .pointer("/variables").member(name) }

    /// Where problems of a value are reported: a variable's value has its own place.
    func place(of located: LocatedValue) -> SourceLocation {
        if case .variable(let name) = located.form, variables[name] != nil {
            return Self.location(ofVariable: name)
        }
        return located.location
    }

    /// The text of a scalar for a parameter of `type`; nil, the problem noted, when it does not fit.
    mutating func text(of value: Value, as type: FieldType, at location: SourceLocation) -> String? {
        do throws(ValueFault) {
            return try type.postgresText(of: value)
        } catch {
            diagnostics.add(error.code, at: location, error.message)
            return nil
        }
    }

    /// Every variable must be used: one that is not is most likely misspelt.
    mutating func checkVariables() {
        let unused = variableNames.lazy.filter { [usedVariables] in !usedVariables.contains($0) }
        guard unused.first != nil else { return }
        let used = usedVariables.sorted()
        for name in unused where !diagnostics.isFull {
            diagnostics.add(
                .unknown, at: Self.location(ofVariable: name),
                "La variable \(name.quotedInFrench) n'est pas utilisée dans"
                    + " \("select".quotedInFrench)\u{A0}: retirez-la.",
                suggestion: diagnostics.nearest(to: name, among: used))
        }
    }
}
