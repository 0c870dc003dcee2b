import DomainKit
import JSON
import QueryCompiler

/// `transaction.run`: several writes as one transaction, all of them or none.
struct TransactionMethod {
    static let name = "transaction.run"
    static let maxCalls = 50

    /// The methods that can be calls, in the order of the service.
    private let writes: [Method]
    private let writesByName: [String: Method]
    /// The names of all methods, which tell a method that does not write from one that does not exist.
    private let names: Set<String>
    /// The nouns of the entities, by their names.
    private let nouns: [String: Noun]
    private let calls: MethodParameter<[GivenCall]>
    private let example: TransactionExample?

    /// - Parameters:
    ///   - methods: those of the service.
    ///   - domains: those that are served.
    init(_ methods: [Method], _ domains: [Domain]) {
        nouns = Dictionary(domains.flatMap(\.entities).map { ($0.name, $0.noun) }) { first, _ in first }
        writes = methods.filter(\.isCallOfTransactions)
        writesByName = Dictionary(writes.map { ($0.name, $0) }) { first, _ in first }
        names = Set(methods.map(\.name))
        example = TransactionExample(writes)
        calls = MethodParameter(
            "calls", .calls(of: writes, example: example?.calls),
            summary:
                "Les écritures, dans l’ordre\u{202F}; {\"$ref\": \"a.id\"} y vaut l’identifiant qu’a écrit l’appel «\u{A0}a\u{A0}»."
        )
    }

    /// The JSON Pointer of a call.
    static func path(ofCall index: Int) -> String { "/calls/\(index)" }

    var method: Method {
        Method(
            name: Self.name, summary: "Exécute plusieurs écritures en une transaction\u{202F}: toutes, ou aucune.",
            rights: .signedIn, parameters: [calls, WriteParameters.key, WriteParameters.dryRun.showing(true)],
            result: .results(of: example?.methods ?? []),
            errors: [.forbidden, .notFound, .conflict, .limitExceeded, .outcomeUnknown]
        ) { [self] (params, call) throws(CallError) in
            let given = params[calls]
            let (writes, role) = try plannedWrites(given, call)
            let digested = JSONValue.array(given.map { writesByName[$0.method ?? ""]?.digested($0) ?? .null })
            let terms = WriteParameters.decode(
                params, method: Self.name,
                digested: JSONObject(
                    params.object.members.map { $0.name == calls.name ? .init($0.name, digested) : $0 }), as: role)
            return .batch(
                WriteBatch(
                    writes: writes, terms: terms, isTransaction: true, role: role, methods: given.compactMap(\.method)
                ))
        }
    }

    // MARK: Calls

    /// Plans every call.
    ///
    /// - Throws: the problems of all calls together.
    private func plannedWrites(_ given: [GivenCall], _ call: Call) throws(CallError) -> ([PlannedWrite], ActingRole?) {
        var problems: [Problem] = []
        let methods = try given.enumerated().map { index, given throws(CallError) in
            problems += given.problems
            return try method(of: given, at: Self.path(ofCall: index), call, &problems)
        }
        let role = Self.role(for: methods, call, &problems)
        let positions = Self.positions(given, &problems)
        var planned: [PlannedWrite?] = []
        var failure: CallError?
        for (index, (given, method)) in zip(given, methods).enumerated() {
            guard let method, let params = given.params else {
                planned.append(nil)
                continue
            }
            let path = Self.path(ofCall: index) + "/params"
            let references = CallReferences(
                in: params, ofCall: index, positions: positions, after: planned.map(Self.answer))
            do throws(CallError) {
                let mode = WriteMode(references: references.calls, hasEarlierCalls: index > 0)
                let own = try mapError(method.actingRole(of: call.caller), CallError.authorisation)
                let write = try method.write(
                    references.params,
                    Call(caller: call.caller, role: role ?? own, company: call.company, context: call.context), mode)
                problems += references.problems(usedAs: write.write.usedReferences, nouns).map { $0.prefixed(by: path) }
                planned.append(write)
            } catch {
                planned.append(nil)
                if case .params(let others) = error {
                    problems += references.problems(with: others).map { $0.prefixed(by: path) }
                } else {
                    problems += references.problems.map { $0.prefixed(by: path) }
                    failure = failure ?? error
                }
            }
        }
        guard problems.isEmpty else { throw .params(Array(problems.prefix(CallLimits().problems))) }
        if let failure { throw failure }
        return (planned.compactMap(\.self), role)
    }

    /// The role in which all calls are made: the first that the caller holds and every method allows. Adds a problem for
    /// a call that no role of the calls before it may make.
    private static func role(for methods: [Method?], _ call: Call, _ problems: inout [Problem]) -> ActingRole? {
        var common: [ServedRole]?
        for (index, method) in methods.enumerated() {
            guard let method, case .roles(let roles) = method.rights else { continue }
            let shared = common?.filter { role in roles.contains { $0.index == role.index } } ?? roles
            if call.caller?.actingRole(among: shared) == nil {
                let path = path(ofCall: index) + "/method"
                problems.append(TransactionProblem.otherRole(method.name).problem(at: path))
            } else {
                common = shared
            }
        }
        return common.flatMap { call.caller?.actingRole(among: $0) }
    }

    /// The method of a call; nil, with a problem added, if it does not write.
    private func method(
        of given: GivenCall, at path: String, _ call: Call, _ problems: inout [Problem]
    ) throws(CallError) -> Method? {
        guard let name = given.method else { return nil }
        let path = path + "/method"
        guard name.utf8.count <= 128, let method = writesByName[name] else {
            let problem: TransactionProblem =
                names.contains(name) || name == Self.name
                ? .notAWrite(name)
                : .unknownMethod(
                    name, suggestion: name.utf8.count <= 128 ? writes.lazy.map(\.name).nearest(to: name) : nil)
            problems.append(problem.problem(at: path))
            return nil
        }
        do throws(AuthorisationError) {
            _ = try method.actingRole(of: call.caller)
            try method.checkCredential(of: call.caller)
        } catch {
            throw .authorisation(AuthorisationError(path: path))
        }
        return method
    }

    /// - Parameter planned: nil if the call could not be planned.
    private static func answer(of planned: PlannedWrite?) -> CallReferences.EarlierCall {
        guard let write = planned?.write else { return .unknown }
        return write.answeredEntity.map { .record($0) } ?? .noRecord
    }

    /// Which call has which name. Adds a problem for each name that is given twice.
    private static func positions(_ given: [GivenCall], _ problems: inout [Problem]) -> [String: Int] {
        var positions: [String: Int] = [:]
        for (index, call) in given.enumerated() {
            guard let name = call.name else { continue }
            if positions[name] == nil {
                positions[name] = index
            } else {
                problems.append(TransactionProblem.nameTaken(name).problem(at: path(ofCall: index) + "/as"))
            }
        }
        return positions
    }
}

extension Method {
    /// A call of this method as the digest of a transaction has it: without secrets.
    fileprivate func digested(_ call: GivenCall) -> JSONValue {
        .object(
            JSONObject([
                .init("method", .string(name)), .init("params", .object(digested(call.params ?? JSONObject()))),
                .init("as", call.name.map { .string($0) } ?? .null),
            ]))
    }
}

// MARK: The parameter

/// A call as it was given. A member is nil if it is missing or wrong.
struct GivenCall: Sendable {
    let method: String?
    let params: JSONObject?
    /// The name by which later calls refer to it.
    let name: String?
    /// The problems of the members.
    let problems: [Problem]
}

extension ParameterType<[GivenCall]> {
    /// The problems of the calls' members are those of ``GivenCall``, so that they are reported with those of the params.
    fileprivate static func calls(of methods: [Method], example: [JSONValue]?) -> Self {
        let max = TransactionMethod.maxCalls
        let schema = JSONSchema.array(of: CallMember.schema(methods)).adding("minItems", 1)
            .adding("maxItems", .integer(max)).adding("x-calls", true)
        return Self(schema: schema, example: example.map { .array($0) }) { value, path, problems in
            guard case .array(let elements) = value else {
                problems.append(ParameterProblem.notAList.problem(at: path))
                return nil
            }
            guard !elements.isEmpty, elements.count <= max else {
                let problem: ParameterProblem = elements.isEmpty ? .noElements : .tooManyElements(max: max)
                problems.append(problem.problem(at: path))
                return nil
            }
            return elements.enumerated().map { CallMember.call($1, at: path.appendingPointer(String($0))) }
        }
    }
}

/// The members of a call.
private enum CallMember {
    static let method = MethodParameter("method", .text, summary: "La méthode, qui écrit.")
    static let params = MethodParameter(optional: "params", .anyObject, summary: "Ses paramètres.")
    static let name = MethodParameter(
        optional: "as", .callName, summary: "Le nom par lequel les appels suivants s’y réfèrent.")
    static let all: [any DeclaredParameter] = [method, params, name]

    static func schema(_ methods: [Method]) -> JSONValue {
        JSONSchema.object(
            all.map { member in
                let schema =
                    member.name == method.name ? JSONSchema.words(methods.map(\.name)) : member.schema(CallLimits())
                return .init(member.name, schema.adding("description", .string(member.summary)))
            }, required: [method.name])
    }

    static func call(_ value: JSONValue, at path: String) -> GivenCall {
        guard case .object(let object) = value else {
            return GivenCall(
                method: nil, params: nil, name: nil, problems: [ParameterProblem.notAnObject.problem(at: path)])
        }
        let (known, misnamed) = Params.declaredMembers(of: object, all, at: path)
        let members = Params(known, all, at: path)
        return GivenCall(
            method: members.valid(method), params: members.valid(params).map { $0 ?? JSONObject() },
            name: members.valid(name) ?? nil, problems: misnamed + members.problems)
    }
}

extension ParameterType<JSONObject> {
    /// An object. The method of the call checks its members.
    fileprivate static var anyObject: Self {
        Self(schema: ["type": "object"]) { value, path, problems in
            switch value {
            case .object(let object): return object
            case .array([]): return JSONObject()
            default:
                problems.append(ParameterProblem.notAnObject.problem(at: path))
                return nil
            }
        }
    }
}

extension ParameterType<String> {
    fileprivate static var callName: Self {
        let schema: JSONValue = ["type": "string", "pattern": .string(Patterns.whole(Patterns.callName))]
        return Self(schema: schema) { value, path, problems in
            if let name = value.text, CallReferences.isName(name) { return name }
            problems.append(TransactionProblem.malformedName.problem(at: path))
            return nil
        }
    }
}

extension ResultType {
    /// - Parameter example: the methods of the calls in the example.
    fileprivate static func results(of example: [Method]) -> Self {
        let results = JSONSchema.array(of: .object(JSONObject()))
            .adding("description", "Le résultat de chaque appel, dans leur ordre.")
        return Self(
            "résultats", schema: JSONSchema.object([.init("results", results)], required: ["results"]),
            example: ["results": .array(example.map(\.result.example))])
    }
}
