package import DomainKit
package import JSON

/// The params of a call, decoded by the declarations of their method.
package struct Params: Sendable {
    /// The declared params as they were given, for the query compiler.
    package let object: JSONObject
    /// The problems of their values.
    package let problems: [Problem]
    private let values: [String: any Sendable]

    /// - Parameter path: the JSON Pointer of `object` in the params of the call.
    init(_ object: JSONObject, _ parameters: [any DeclaredParameter] = [], at path: String = "") {
        var values: [String: any Sendable] = [:]
        var problems: [Problem] = []
        for parameter in parameters {
            if case .value(let value) = parameter.decode(from: object, at: path, &problems) {
                values[parameter.name] = value
            }
        }
        self.object = object
        self.values = values
        self.problems = problems
    }

    /// The value of a parameter of a method that is being planned.
    ///
    /// - Precondition: the method declares `parameter`, and there are no problems.
    package subscript<Output>(parameter: MethodParameter<Output>) -> Output {
        guard let value = valid(parameter) else {
            preconditionFailure("the method does not declare the parameter \(parameter.name)")
        }
        return value
    }

    /// The value of a parameter, or nil if it has problems.
    package func valid<Output>(_ parameter: MethodParameter<Output>) -> Output? {
        (values[parameter.name] as? MethodParameter<Output>.Decoded)?.output
    }
}

// MARK: Names

extension Params {
    /// A body may contain a hundred thousand wrong names. Only the first ones are reported.
    private static let maxReportedNames = 100

    /// The declared members of `params`, and the problems of their names: members that are not declared, and members
    /// that an object contains twice.
    static func declaredMembers(
        of params: RPCRequest.RawParams, _ parameters: [any DeclaredParameter]
    ) throws(CallError) -> (JSONObject, [Problem]) {
        switch params {
        case .byPosition:
            throw .params([ParameterProblem.byPosition.problem(at: "")])
        case .byName(let object, let duplicates):
            let (known, problems) = declaredMembers(of: object, parameters)
            return (known, problems + duplicates.map { ParameterProblem.givenTwice.problem(at: $0) })
        }
    }

    static func declaredMembers(
        of object: JSONObject, _ parameters: [any DeclaredParameter], at path: String = ""
    ) -> (JSONObject, [Problem]) {
        func isDeclared(_ member: JSONObject.Member) -> Bool { parameters.contains { $0.name == member.name } }
        var problems: [Problem] = []
        for member in object.members where problems.count < maxReportedNames && !isDeclared(member) {
            let suggestion = parameters.map(\.name).nearest(to: member.name)
            problems.append(
                ParameterProblem.unknown(member.name, suggestion: suggestion)
                    .problem(at: path.appendingPointer(member.name)))
        }
        return (problems.isEmpty ? object : JSONObject(object.members.filter(isDeclared)), problems)
    }
}

// MARK: Problems

/// A problem of a param that the kernel finds. Capabilities have their own, DomainKit finds those of columns, the query compiler those of queries.
package enum ParameterProblem {
    case byPosition
    case unknown(String, suggestion: String?)
    case givenTwice
    case missing(String)
    case null
    case nullCharacter
    case notAnObject
    case notAList
    case noElements
    case tooManyElements(max: Int)

    /// - Parameter path: the JSON Pointer of the param.
    package func problem(at path: String) -> Problem {
        let suggestion: String? =
            switch self {
            case .unknown(_, let suggestion): suggestion
            default: nil
            }
        return Problem(path: path, code: code, message: message, suggestion: suggestion)
    }

    private var code: Problem.Code {
        switch self {
        case .byPosition, .notAnObject, .notAList: .type
        case .unknown: .unknown
        case .givenTwice: .duplicate
        case .missing, .null, .noElements: .required
        case .nullCharacter: .format
        case .tooManyElements: .tooLong
        }
    }
}
