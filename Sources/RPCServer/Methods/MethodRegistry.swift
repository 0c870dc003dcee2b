import DomainKit

/// Every method there is, by name.
package struct MethodRegistry: Sendable {
    /// In the order in which they are documented.
    package let methods: [Method]
    private let byName: [String: Method]

    init(_ methods: [Method]) throws(RPCService.SetupFault) {
        self.methods = methods
        var byName: [String: Method] = [:]
        for method in methods {
            guard byName.updateValue(method, forKey: method.name) == nil else { throw .duplicateMethod(method.name) }
        }
        self.byName = byName
    }

    func method(named name: String) throws(MethodFault) -> Method {
        // A longer one is not even compared, which may take long.
        guard name.utf8.count <= 128 else { throw MethodFault(name: name, suggestion: nil) }
        guard let method = byName[name] else {
            throw MethodFault(name: name, suggestion: methods.lazy.map(\.name).nearest(to: name))
        }
        return method
    }
}

/// There is no such method.
struct MethodFault: Error, Sendable, Hashable {
    let name: String
    /// The nearest one there is.
    let suggestion: String?
}
