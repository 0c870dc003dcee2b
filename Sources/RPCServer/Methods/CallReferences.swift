import DomainKit
import JSON
import QueryCompiler

/// The references in the params of one call of a transaction: `{"$ref": "a.id"}` stands for the id that the earlier call
/// named `a` has written.
///
/// The planner takes numbers for ids. Each reference is therefore replaced by a number that occurs nowhere else in the
/// params; the planner receives the call that each of these numbers stands for.
struct CallReferences {
    /// The params with numbers in the place of references.
    private(set) var params: JSONObject
    /// The digits of these numbers, and the call that each stands for, counted from 0.
    private(set) var calls: [String: Int] = [:]
    /// The problems that references have by themselves, with paths in the params of the call.
    private(set) var problems: [Problem] = []
    /// The JSON Pointer of each reference, by its digits.
    private var places: [String: String] = [:]
    private let earlier: [EarlierCall]
    private let positions: [String: Int]

    /// What a call before the one with the references answers.
    enum EarlierCall: Sendable {
        /// The call could not be planned.
        case unknown
        case record(Entity)
        case noRecord
    }

    private static let member = "$ref"

    /// - Parameters:
    ///   - index: the position of the call, counted from 0.
    ///   - positions: which call has which name.
    ///   - earlier: what the calls before this one answer.
    init(in params: JSONObject, ofCall index: Int, positions: [String: Int], after earlier: [EarlierCall]) {
        self.params = params
        self.earlier = earlier
        self.positions = positions
        guard Self.hasReference(.object(params)) else { return }
        var numbers = UnusedNumbers(in: .object(params))
        let context = Context(index: index, positions: positions, earlier: earlier)
        if case .object(let replaced) = replace(.object(params), at: "", context, &numbers) { self.params = replaced }
    }

    private struct Context {
        let index: Int
        let positions: [String: Int]
        let earlier: [EarlierCall]
    }

    private static func hasReference(_ value: JSONValue) -> Bool {
        switch value {
        case .array(let elements): elements.contains(where: hasReference)
        case .object(let object): object.members.contains { $0.name == member || hasReference($0.value) }
        default: false
        }
    }

    private mutating func replace(
        _ value: JSONValue, at path: String, _ context: Context, _ numbers: inout UnusedNumbers
    ) -> JSONValue {
        switch value {
        case .array(let elements):
            var replaced: [JSONValue] = []
            for (index, element) in elements.enumerated() {
                replaced.append(replace(element, at: path.appendingPointer(String(index)), context, &numbers))
            }
            return .array(replaced)
        case .object(let object) where !path.isEmpty && object[Self.member] != nil:
            // A wrong reference gets a number too, so that only the reference is reported as a problem.
            let digits = numbers.next()
            places[digits] = path
            switch Self.call(of: object, context) {
            case .success(let call):
                calls[digits] = call
            case .failure(let problem):
                calls[digits] = 0
                problems.append(problem.problem(at: path))
            }
            return .number(digits)
        case .object(let object):
            var members: [JSONObject.Member] = []
            for member in object.members {
                let path = path.appendingPointer(member.name)
                members.append(.init(member.name, replace(member.value, at: path, context, &numbers)))
            }
            return .object(JSONObject(members))
        default:
            return value
        }
    }

    private static func call(of object: JSONObject, _ context: Context) -> Result<Int, TransactionProblem> {
        guard object.members.count == 1, let text = object[member]?.text,
            let dot = text.utf8.firstIndex(of: UInt8(ascii: "."))
        else { return .failure(.malformedReference) }
        let name = String(text[..<dot])
        guard isName(name) else { return .failure(.malformedReference) }
        guard let position = context.positions[name] else {
            let earlier = context.positions.filter { $0.value < context.index }.keys.sorted()
            return .failure(.unknownName(name, suggestion: earlier.nearest(to: name)))
        }
        if position == context.index { return .failure(.ownName(name)) }
        if position > context.index { return .failure(.laterCall(name)) }
        guard text[dot...] == ".id" else { return .failure(.unknownMember(name)) }
        if case .noRecord = context.earlier[position] { return .failure(.writesNoRecord(name)) }
        return .success(position)
    }

    /// Whether a call may have this name.
    static func isName(_ text: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool {
            byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
                || byte >= UInt8(ascii: "A")
                    && byte <= UInt8(ascii: "Z")
                || byte == UInt8(ascii: "_")
        }
        guard let first = text.utf8.first, isLetter(first), text.utf8.count <= 31 else { return false }
        return text.utf8.allSatisfy { isLetter($0) || $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }

    // MARK: Problems

    /// The problems of all references, of a call that has been planned.
    ///
    /// - Parameters:
    ///   - used: the references that it has read as ids.
    ///   - nouns: of the entities, by their names.
    func problems(usedAs used: Set<UsedReference>, _ nouns: [String: Noun]) -> [Problem] {
        let targets = Dictionary(used.map { ($0.digits, $0.target) }) { first, _ in first }
        return places.sorted { $0.value < $1.value }.compactMap { digits, path in
            guard let target = targets[digits] else {
                return TransactionProblem.misplacedReference.problem(at: path)
            }
            if let problem = problems.first(where: { $0.path == path }) { return problem }
            guard let target, let expected = nouns[target], let call = calls[digits],
                case .record(let entity) = earlier[call], entity.name != target
            else { return nil }
            let name = positions.first { $0.value == call }?.key ?? ""
            return TransactionProblem.otherEntity(name, is: entity.noun.one, not: expected.one).problem(at: path)
        }
    }

    /// The problems of all references and the `others`, of a call that could not be planned. Those about the value of a
    /// number that stands for a reference are replaced, so that each reference has one problem.
    func problems(with others: [Problem]) -> [Problem] {
        let paths = Set(places.values)
        let misplaced = Set(others.filter { $0.isAboutValue && paths.contains($0.path) }.map(\.path))
        return problems.filter { !misplaced.contains($0.path) }
            + others.map { problem in
                misplaced.contains(problem.path) && problem.isAboutValue
                    ? TransactionProblem.misplacedReference.problem(at: problem.path) : problem
            }
    }
}

extension Problem {
    /// Whether the place takes values of another kind than the one given.
    fileprivate var isAboutValue: Bool {
        switch code {
        case .type, .format, .tooLong, .outOfRange, .tooManyDigits: true
        default: false
        }
    }
}

/// Numbers that do not occur in a value, each once.
struct UnusedNumbers {
    private let taken: Set<String>
    private var candidate = Int64.max

    init(in value: JSONValue) {
        var taken: Set<String> = []
        Self.collect(value, &taken)
        self.taken = taken
    }

    /// The digits of the next number, which any column of ids can store.
    mutating func next() -> String {
        while taken.contains(Self.significantDigits(String(candidate))) { candidate -= 1 }
        defer { candidate -= 1 }
        return String(candidate)
    }

    private static func collect(_ value: JSONValue, _ taken: inout Set<String>) {
        switch value {
        case .number(let digits):
            // Shorter numbers cannot be equal to one of the last numbers of 19 digits.
            if digits.utf8.count > 9 { taken.insert(significantDigits(digits)) }
        case .array(let elements): for element in elements { collect(element, &taken) }
        case .object(let object): for member in object.members { collect(member.value, &taken) }
        case .null, .bool, .string: break
        }
    }

    /// The digits of a number without its sign, its point, its exponent, and zeros at either end. Equal numbers have equal
    /// ones, however they are written.
    static func significantDigits(_ number: String) -> String {
        let mantissa = number.prefix { $0 != "e" && $0 != "E" }
        var digits = mantissa.utf8.filter { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return String(decoding: digits.drop { $0 == UInt8(ascii: "0") }, as: UTF8.self)
    }
}

/// A problem of a transaction's calls, apart from those of their params.
enum TransactionProblem: Error, Hashable {
    case unknownMethod(String, suggestion: String?)
    case notAWrite(String)
    /// No role of the caller allows this method and those before it.
    case otherRole(String)
    case malformedName
    case nameTaken(String)
    case malformedReference
    case unknownName(String, suggestion: String?)
    /// A call refers to itself.
    case ownName(String)
    /// A call refers to one that comes after it.
    case laterCall(String)
    /// The reference names another member than `id`.
    case unknownMember(String)
    case writesNoRecord(String)
    /// The call answers a record of another entity than the place names. Both are nouns with their articles.
    case otherEntity(String, is: String, not: String)
    /// The reference is not in the place of an id.
    case misplacedReference

    func problem(at path: String) -> Problem {
        Problem(path: path, code: code, message: message, suggestion: suggestion)
    }

    private var code: Problem.Code {
        switch self {
        case .unknownMethod, .unknownName, .unknownMember: .unknown
        case .malformedName, .malformedReference: .format
        case .nameTaken: .duplicate
        case .notAWrite, .otherRole, .ownName, .laterCall, .writesNoRecord,
            .otherEntity:
            .rule
        case .misplacedReference: .type
        }
    }

    private var suggestion: String? {
        switch self {
        case .unknownMethod(_, let suggestion): suggestion
        case .unknownName(_, let suggestion): suggestion.map { $0 + ".id" }
        case .unknownMember(let name): name + ".id"
        default: nil
        }
    }
}
