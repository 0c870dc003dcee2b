import DomainKit

extension Method {
    /// A body has room for a hundred thousand wrong names; telling the first of them is help enough.
    private static var toldAtMost: Int { 100 }

    /// The params the method declares, and what is wrong with the names of all: those it does not declare, and those
    /// that stand twice.
    func checkNames(in params: Request.Params) throws(CallFailure) -> (Object, [Problem]) {
        switch params {
        case .byPosition:
            let message = "Donnez les paramètres par leur nom, dans un objet."
            throw .params([Problem(path: "", code: .type, message: message)])
        case .byName(let object, let duplicates):
            var problems: [Problem] = []
            for member in object.members where problems.count < Self.toldAtMost && !takes(member) {
                problems.append(unknown(member.name))
            }
            let known = problems.isEmpty ? object : Object(object.members.filter(takes))
            for pointer in duplicates {
                let message = "Ne donnez ce membre qu'une fois\u{A0}: son nom figure deux fois dans le même objet."
                problems.append(Problem(path: pointer, code: .duplicate, message: message))
            }
            return (known, problems)
        }
    }

    private func takes(_ member: Object.Member) -> Bool {
        parameters.contains { $0.name == member.name }
    }

    private func unknown(_ name: String) -> Problem {
        let suggestion = parameters.map(\.name).nearest(to: name)
        let remedy = suggestion.map { "utilisez \($0.quotedInFrench)." } ?? "retirez-le."
        return Problem(
            path: "".appendingPointer(name), code: .unknown,
            message: "Le paramètre \(name.quotedInFrench) n'existe pas\u{A0}: \(remedy)", suggestion: suggestion)
    }
}
