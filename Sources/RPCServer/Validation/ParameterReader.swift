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
        read(name) { (value) throws(ValueFault) in try type.postgresText(of: value) } ?? ""
    }

    /// The value of a parameter that takes what `column` takes; an empty text for null, and when something is wrong with
    /// it.
    mutating func text(_ name: String, as column: Column) -> String {
        let text = read(name) { (value) throws(ValueFault) in
            try column.check(value)
            return value.isNull ? "" : try column.type.postgresText(of: value)
        }
        return text ?? ""
    }

    /// The primary key of a record; nil when something is wrong with it.
    mutating func recordID(_ name: String = "id") -> String? { read(name, RecordID.text) }

    private mutating func read(_ name: String, _ reading: (Value) throws(ValueFault) -> String) -> String? {
        let path = "".appendingPointer(name)
        guard let value = params[name] else {
            let message = "Donnez \(name.quotedInFrench)\u{A0}: ce paramètre est obligatoire."
            add(Problem(path: path, code: .required, message: message))
            return nil
        }
        do throws(ValueFault) {
            return try reading(value)
        } catch {
            add(Problem(path: path, code: error.code, message: error.message))
            return nil
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
