package import DomainKit
package import JSON
package import RPCServer

/// A method that makes documents. A call is answered with a link. Who opens the link gets the document, which is made then, with the
/// rights of the account that called.
package struct DocumentMethod: Sendable {
    /// Plans the document that a call asks for.
    package typealias Planning = @Sendable (_ params: Params, _ call: Call) throws(CallError) -> DocumentPlan

    package let method: Method
    private let planning: Planning

    package init(
        name: String, summary: String, rights: Rights, parameters: [any DeclaredParameter],
        errors: Set<ErrorKind> = [.limitExceeded], rules: [Rule] = [],
        check: @escaping Method.Check = { _, _ in [] }, links: DocumentLinks, plan planning: @escaping Planning
    ) {
        self.planning = planning
        method = Method(
            name: name, summary: summary, rights: rights, parameters: parameters, result: .documentLink,
            errors: errors, rules: rules, check: check
        ) { (params, call) throws(CallError) in
            let plan = try planning(params, call)
            let link = try links.link(to: DocumentLinks.document(name, params.object, for: call))
            return .computed(
                CallPlan.Computation(loads: plan.loadsForName) { loaded in
                    link.value(name: ContentDisposition.fileName(plan.name(loaded)), plan.kind)
                })
        }
    }

    /// Checks the params as those of a call, and plans the document.
    package func plan(_ params: JSONObject, _ call: Call) throws(CallError) -> DocumentPlan {
        try method.checked(params, call) { (params) throws(CallError) in try planning(params, call) }
    }
}

extension LoadedMethod {
    /// The method of the service for a method of a domain that makes documents; nil if this one makes none.
    ///
    /// - Parameters:
    ///   - domain: the domain of the method.
    ///   - roles: the roles of the domain.
    func documentMethod(
        in domain: Domain, for roles: [ServedRole], links: DocumentLinks
    ) throws(RPCService.SetupError) -> DocumentMethod? {
        guard case .document(let kind, let fileName, let render) = answers else { return nil }
        let planning = try LoadedPlanning(of: self, in: domain, for: roles)
        let name = qualifiedName
        return DocumentMethod(
            name: name, summary: summary, rights: planning.rights, parameters: planning.parameters,
            errors: planning.errors,
            rules: rules, check: planning.check, links: links
        ) { (params, call) throws(CallError) in
            let (loads, given) = try planning.plan(params, call)
            return DocumentPlan(
                kind: kind, loads: loads, name: { loaded in fileName(loaded, given) },
                content: kind.isSlow
                    ? .drawn { loaded in DocumentOrder(method: name, parameters: given, loaded: loaded) }
                    : .written { loaded in try render(loaded, given) })
        }
    }
}
