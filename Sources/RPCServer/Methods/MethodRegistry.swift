import DomainKit

/// Every method of the service, by name.
package struct MethodRegistry: Sendable {
    /// In the order of the description of the service.
    package let methods: [Method]
    private let byName: [String: Method]

    init(_ methods: [Method]) throws(RPCService.SetupError) {
        self.methods = methods
        var byName: [String: Method] = [:]
        for method in methods {
            guard byName.updateValue(method, forKey: method.name) == nil else { throw .duplicateMethod(method.name) }
        }
        self.byName = byName
    }

    func method(named name: String) throws(MethodError) -> Method {
        // Longer names are not looked up: the comparison of long texts may take long.
        guard name.utf8.count <= 128 else { throw MethodError(name: name, suggestion: nil) }
        guard let method = byName[name] else {
            throw MethodError(name: name, suggestion: methods.lazy.map(\.name).nearest(to: name))
        }
        return method
    }
}

/// There is no method of this name.
package struct MethodError: Error, Sendable, Hashable {
    let name: String
    /// The most similar name of a method.
    let suggestion: String?
}
