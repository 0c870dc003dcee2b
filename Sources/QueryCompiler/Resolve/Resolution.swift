import DomainKit

/// The state of turning one call's params into a shape and its parameters: names are looked up, values checked, all
/// problems collected. The parts of params are resolved in extensions, a file each.
struct Resolution {
    let schema: Schema
    let limits: Limits
    var findings: Findings
    /// The values of the statement's parameters, in order.
    var parameters: [String?] = []
    /// Of the call's `variables`.
    let variables: Object
    var usedVariables: Set<String> = []
    var conditionCount = 0
    var filterRelationCount = 0
    var visitedFields = 0
    /// Whether the condition at hand stands inside a `not`, where a part that is false is not a part that is null.
    var isNegated = false

    init(schema: Schema, limits: Limits, variables: Object = Object()) {
        self.schema = schema
        self.limits = limits
        self.variables = variables
        findings = Findings(maximum: limits.problems)
    }

    /// Adds a parameter and returns its slot.
    mutating func slot(for text: String?) -> Int {
        parameters.append(text)
        return parameters.count - 1
    }

    /// One level of a value, variables replaced by what they stand for; nil, the problem noted, for a missing one.
    mutating func open(_ located: Located) -> Located.Form? {
        switch located.form {
        case .variable(let name):
            guard let value = variables[name] else {
                usedVariables.insert(name)
                findings.add(
                    .required, at: located.site,
                    "La variable \("$\(name)".quotedInFrench) manque\u{A0}: donnez-lui une valeur dans"
                        + " \("variables".quotedInFrench).")
                return nil
            }
            usedVariables.insert(name)
            return Located(value, at: "/variables".appendingPointer(name)).form
        case .word(let word):
            findings.add(
                .type, at: located.site, "Mettez \(word.quotedInFrench) entre guillemets.")
            return nil
        case let form:
            return form
        }
    }

    /// Whether the value is null, or a variable that stands for null.
    mutating func isNull(_ located: Located) -> Bool {
        switch located.form {
        case .scalar(.null): return true
        case .variable(let name) where variables[name] == .null:
            usedVariables.insert(name)
            return true
        default: return false
        }
    }

    /// Where problems of a value are reported: a variable's value has its own place.
    func place(of located: Located) -> Site {
        if case .variable(let name) = located.form, variables[name] != nil {
            return .pointer("/variables".appendingPointer(name))
        }
        return located.site
    }

    /// The text of a scalar for a parameter of `type`; nil, the problem noted, when it does not fit.
    mutating func text(of value: Value, as type: FieldType, at site: Site) -> String? {
        do throws(ValueFault) {
            return try type.postgresText(of: value)
        } catch {
            findings.add(error.code, at: site, error.message)
            return nil
        }
    }

    /// Every variable must be used: one that is not is most likely misspelt.
    mutating func checkVariables() {
        for member in variables.members where !usedVariables.contains(member.name) {
            let suggestion = usedVariables.sorted().nearest(to: member.name)
            findings.add(
                .unknown, at: .pointer("/variables".appendingPointer(member.name)),
                "La variable \(member.name.quotedInFrench) n'est pas utilisée dans"
                    + " \("select".quotedInFrench)\u{A0}: retirez-la.",
                suggestion: suggestion)
        }
    }
}
