import DomainKit

extension Value {
    /// The members of an answer, one headed block each.
    var asGolden: String {
        guard case .object(let object) = self else { return "" }
        return object.members.map { "[\($0.name)]\n\($0.value.text ?? "?")\n" }.joined()
    }
}
