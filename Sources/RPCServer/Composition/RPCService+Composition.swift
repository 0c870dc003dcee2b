import DomainKit

extension RPCService {
    /// - Parameters:
    ///   - version: the version of the service, such as `1.0.0`.
    ///   - capabilities: in the order in which the description has them.
    package init(_ kernel: Kernel, version: String, _ capabilities: [Capability]) throws(SetupError) {
        let served = Set(capabilities.flatMap(\.serves))
        for domain in kernel.domains {
            for part in DomainPart.allCases where domain.declares(part) && !served.contains(part) {
                throw .unserved(part, domain: domain.name)
            }
        }
        var methods = try kernel.methods() + capabilities.flatMap(\.methods)
        for (name, addition) in capabilities.flatMap(\.writeExtensions) {
            guard let index = methods.firstIndex(where: { $0.name == name }) else { continue }
            methods[index] = methods[index].extended(by: addition)
        }
        methods.append(.declarations(of: DeclaredDomains(kernel.domains, methods, kernel.roles)))
        // The description describes its own method, too, which is made from it: here another one stands for it.
        let discovery = Method.discovery(of: .empty)
        methods.append(TransactionMethod(methods + [discovery], kernel.domains).method)
        let description = OpenRPCDescription(
            title: kernel.title, version: version, methods: methods + [discovery],
            operations: [OpenRPCDescription.operation] + capabilities.flatMap(\.operations),
            entities: kernel.domains.flatMap(\.entities), limits: kernel.limits)
        methods.append(.discovery(of: description))
        self.init(
            methods: try MethodRegistry(methods), description: description,
            endpoints: [.openRPC(description)] + capabilities.flatMap(\.endpoints),
            limits: kernel.envelope, costLimits: kernel.limits, authenticator: kernel.authenticator,
            executor: kernel.executor, notesStatements: kernel.notesStatements)
    }
}
