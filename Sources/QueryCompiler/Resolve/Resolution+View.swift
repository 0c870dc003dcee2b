import DomainKit
import JSON

/// Resolves the parameters of a view.
extension Resolution {
    /// The arguments for the view's function, in the order of its parameters. What is missing or null is left out, so that
    /// the function's default holds.
    ///
    /// - Parameter values: by name, checked by the declarations of the parameters.
    mutating func arguments(_ values: [String: JSONValue], of table: Table) -> [ViewArgument] {
        var arguments: [ViewArgument] = []
        for parameter in table.parameters {
            guard let value = values[parameter.name], !value.isNull else { continue }
            let location = SourceLocation.pointer("").member(parameter.name)
            guard let text = text(of: value, as: parameter.type, at: location) else { continue }
            arguments.append(ViewArgument(parameter: parameter, slot: slot(for: text, at: location)))
        }
        return arguments
    }

    /// The fingerprint of a list's cursors: that of its order and, for a view, of the arguments. A page of other arguments
    /// is part of another list.
    func fingerprint(_ order: UInt64, _ arguments: [ViewArgument]) -> UInt64 {
        guard !arguments.isEmpty else { return order }
        let texts = arguments.map { "\($0.parameter.name)=\(parameters[$0.slot] ?? "")" }
        return Fingerprint.of(([String(order)] + texts).joined(separator: "\u{0}").utf8)
    }
}
