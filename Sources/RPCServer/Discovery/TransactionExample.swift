import DomainKit
import JSON
import QueryCompiler

/// The calls in the example of `transaction.run`: the first creates a record, and the second refers to it. Without a method
/// that creates records, there is one call.
struct TransactionExample: Sendable {
    /// The name of the first call.
    private static let name = "a"
    private static let reference: JSONValue = ["$ref": .string("\(name).id")]

    let calls: [JSONValue]
    /// The methods of the calls.
    let methods: [Method]

    /// - Parameter writes: the methods that a transaction may call.
    /// - Returns: nil if there are none.
    init?(_ writes: [Method]) {
        let creations = writes.filter { $0.values?.kind == .create }
        // A record that belongs to the new one says more than a change of the new one itself.
        for second in creations {
            guard let entity = second.values?.entity else { continue }
            for relation in entity.relations {
                guard case .toOne(let column) = relation.kind, relation.target != entity.name,
                    let access = entity.column(named: column)?.access, access != .readOnly,
                    let first = creations.first(where: { $0.values?.entity.name == relation.target }),
                    first.sharesRole(with: second)
                else { continue }
                self.init(first, second, "values", second.exampleParams["values"]?.setting(column, to: Self.reference))
                return
            }
        }
        for first in creations {
            let second = writes.first {
                $0.values?.kind == .update && $0.values?.entity.name == first.values?.entity.name
            }
            guard let second, first.sharesRole(with: second) else { continue }
            self.init(first, second, "id", Self.reference)
            return
        }
        guard let only = writes.first else { return nil }
        self.init(calls: [["method": .string(only.name), "params": .object(only.exampleParams)]], methods: [only])
    }

    /// - Parameters:
    ///   - member: the param of the second call that has the reference.
    ///   - value: its value.
    private init(_ first: Method, _ second: Method, _ member: String, _ value: JSONValue?) {
        let params = JSONValue.object(second.exampleParams).setting(member, to: value ?? .null)
        self.init(
            calls: [
                ["method": .string(first.name), "params": .object(first.exampleParams), "as": .string(Self.name)],
                ["method": .string(second.name), "params": params],
            ], methods: [first, second])
    }

    private init(calls: [JSONValue], methods: [Method]) {
        self.calls = calls
        self.methods = methods
    }
}

extension Method {
    /// The entity of the records that the method writes, if it takes their values, and how it writes them.
    fileprivate var values: (entity: Entity, kind: WriteKind)? {
        for case let parameter as QueryParameter in parameters {
            if case .values(let entity, let kind) = parameter.kind { return (entity, kind) }
        }
        return nil
    }

    /// The params of this method as a call of a transaction.
    fileprivate var exampleParams: JSONObject {
        let given = ownParameters.filter { $0.isRequired || $0.name == "select" }
        return JSONObject(given.compactMap { one in one.example.map { .init(one.name, $0) } })
    }

    /// Whether one role may call both methods.
    fileprivate func sharesRole(with other: Method) -> Bool {
        guard case .roles(let own) = rights, case .roles(let others) = other.rights else { return true }
        return own.contains { role in others.contains { $0.index == role.index } }
    }
}

extension JSONValue {
    /// This object with a member of this value, in its place if there is one already.
    fileprivate func setting(_ name: String, to value: JSONValue) -> JSONValue {
        guard case .object(var object) = self else { return self }
        if let index = object.members.firstIndex(where: { $0.name == name }) {
            object.members[index] = .init(name, value)
        } else {
            object.members.append(.init(name, value))
        }
        return .object(object)
    }
}
