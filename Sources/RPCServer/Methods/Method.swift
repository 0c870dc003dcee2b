package import DomainKit

/// A method of the service: what it is called, who may call it, what it takes, and how a call of it is planned.
package final class Method: Sendable {
    package let name: String
    /// What it does, in French.
    package let summary: String
    package let rights: Rights
    package let parameters: [MethodParameter]
    package let result: Result
    /// The errors it may end in that do not follow from the rest of its definition.
    let failures: Set<ErrorKind>
    /// Checks the params, all of them, and decides what to do; takes no connection.
    let plan: Planning

    typealias Planning = @Sendable (_ params: Object, _ call: Call) throws(CallFailure) -> Plan

    /// The shape of a successful answer.
    package enum Result: Sendable {
        case record(Entity)
        case page(Entity)
        /// Numbers over groups of records of this entity.
        case groups(Entity)
        /// The primary key of what was deleted.
        case deletion(Entity)
        /// Tokens, and the user of this entity they were issued to.
        case session(Entity)
        /// The sign-ins of an account.
        case signIns
        /// An object of texts.
        case texts([LoadedMethod.Member])
        /// The description of the service.
        case document
        /// An object whose members depend on the params.
        case object
        /// An object without members.
        case empty
    }

    init(
        name: String, summary: String, rights: Rights, parameters: [MethodParameter], result: Result,
        failures: Set<ErrorKind> = [], plan: @escaping Planning
    ) {
        self.name = name
        self.summary = summary
        self.rights = rights
        self.parameters = parameters
        self.result = result
        self.failures = failures
        self.plan = plan
    }

    /// The same method, planned otherwise.
    ///
    /// - Parameters:
    ///   - value: what `values` takes besides columns.
    ///   - failures: errors it may end in for that.
    func planned(
        taking value: MethodParameter? = nil, failures: Set<ErrorKind> = [], by plan: @escaping Planning
    ) -> Method {
        let parameters = value.map { value in self.parameters.map { $0.taking(value) } } ?? self.parameters
        return Method(
            name: name, summary: summary, rights: rights, parameters: parameters, result: result,
            failures: self.failures.union(failures), plan: plan)
    }
}
