import DomainKit

/// Reads single values out of params, and remembers what is wrong with them.
struct ParameterReader {
    let params: Object
    private(set) var problems: [Problem] = []

    init(_ params: Object) {
        self.params = params
    }

    /// The value of a parameter as Postgres would write it; an empty text when something is wrong with it.
    mutating func text(_ name: String, as type: FieldType = .text(maxLength: nil)) -> String {
        guard let value = params[name] else {
            let message = "Donnez \(name.quotedInFrench)\u{A0}: ce paramètre est obligatoire."
            add(Problem(path: "".appendingPointer(name), code: .required, message: message))
            return ""
        }
        do throws(ValueFault) {
            return try type.postgresText(of: value)
        } catch {
            add(Problem(path: "".appendingPointer(name), code: error.code, message: error.message))
            return ""
        }
    }

    /// The value of a flag that may be left out.
    mutating func flag(_ name: String) -> Bool {
        guard let value = params[name], !value.isNull else { return false }
        return text(name, as: .boolean) == "true"
    }

    mutating func add(_ problem: Problem) {
        problems.append(problem)
    }

    /// To be called once everything was read.
    func finish() throws(CallFailure) {
        guard problems.isEmpty else { throw .params(problems) }
    }
}
