public import JSON

extension Shape {
    /// How many problems of one value are reported. A body may contain a hundred thousand wrong elements.
    private static let maxReportedProblems = 100

    /// Checks a value, and returns it as it is stored and as functions of the database receive it.
    ///
    /// Members are in the order of their declaration, those that are missing have their defaults, and scalars are written
    /// in one way only: numbers without exponents, times with seconds, UUIDs in lower case. So SQL can read a member by
    /// `(line->>'quantity')::int`.
    ///
    /// - Parameter value: any value but null, unless the shape is a scalar that may be null.
    /// - Throws: a wrong type or a wrong number of elements, or ``ValueError/parts(_:)`` with the problems of all parts.
    public func normalised(_ value: JSONValue) throws(ValueError) -> JSONValue {
        switch self {
        case .object(let members):
            guard case .object(let object) = value else { throw .wrongType(expected: .object) }
            return .object(try Self.normalised(object, members))
        case .anyObject:
            guard case .object = value else { throw .wrongType(expected: .object) }
            return try value.storable()
        case .kinds(let kinds):
            guard case .object(let object) = value else { throw .wrongType(expected: .object) }
            return .object(try Self.normalised(object, kinds))
        case .list(let element, let count, let unique):
            guard case .array(let elements) = value else { throw .wrongType(expected: .list) }
            guard elements.count <= count.upperBound else { throw .tooManyElements(count.upperBound) }
            guard elements.count >= count.lowerBound else { throw .tooFewElements(count.lowerBound) }
            return .array(try Self.normalised(elements, element, unique: unique))
        case .scalar(let column):
            return try column.normalised(value)
        }
    }

    private static func normalised(
        _ elements: [JSONValue], _ shape: Shape, unique: [String]
    ) throws(ValueError) -> [JSONValue] {
        var problems: [Problem] = []
        var normalised: [JSONValue] = []
        normalised.reserveCapacity(elements.count)
        var seen = unique.map { _ in Set<JSONValue>() }
        for (index, element) in elements.enumerated() where problems.count < maxReportedProblems {
            do throws(ValueError) {
                normalised.append(try shape.normalised(element))
            } catch {
                problems += error.problems(at: "/\(index)")
            }
            // Also of an element with other problems.
            for (place, name) in unique.enumerated() {
                guard let value = shape.normalisedMember(name, of: element), !seen[place].insert(value).inserted else {
                    continue
                }
                problems.append(FieldProblem.repeated(name).at("/\(index)".appendingPointer(name)))
            }
        }
        guard problems.isEmpty else { throw .parts(Array(problems.prefix(maxReportedProblems))) }
        return normalised
    }

    /// A member of an object as it is stored; nil if it is missing, null or wrong.
    private func normalisedMember(_ name: String, of element: JSONValue) -> JSONValue? {
        let columns =
            switch self {
            case .object(let members): members
            case .kinds(let kinds):
                kinds.members(
                    of: kinds.kinds.first { element[kinds.member.name] == .string($0.word) } ?? .init("", label: "", [])
                )
            case .anyObject, .list, .scalar: [Column]()
            }
        guard let column = columns.first(where: { $0.name == name }), let given = element[name], !given.isNull else {
            return nil
        }
        do throws(ValueError) {
            return try column.normalised(given)
        } catch {
            return nil
        }
    }

    /// An object without a known kind has the problems of the common members only.
    private static func normalised(_ object: JSONObject, _ kinds: ObjectKinds) throws(ValueError) -> JSONObject {
        let kind = kinds.kinds.first { object[kinds.member.name] == .string($0.word) }
        let names = kinds.names
        let members = kinds.members(of: kind ?? .init("", label: "", []))
        var foreign: [Problem] = []
        let own = JSONObject(
            object.members.filter { given in
                guard names.contains(given.name), !members.contains(where: { $0.name == given.name }) else {
                    return true
                }
                if let kind, !given.value.isNull {
                    let problem = FieldProblem.ofAnotherKind(given.name, kind: kind.label)
                    foreign.append(problem.at("".appendingPointer(given.name)))
                }
                return false
            })
        do throws(ValueError) {
            let valid = try normalised(own, members)
            guard foreign.isEmpty else { throw .parts(foreign) }
            return JSONObject(names.map { .init($0, valid[$0] ?? .null) })
        } catch {
            guard case .parts(let problems) = error, !foreign.isEmpty else { throw error }
            throw .parts(problems == foreign ? foreign : problems + foreign)
        }
    }

    private static func normalised(_ object: JSONObject, _ columns: [Column]) throws(ValueError) -> JSONObject {
        var problems: [Problem] = []
        var valid: [String: JSONValue] = [:]
        for member in object.members where problems.count < maxReportedProblems {
            let place = "".appendingPointer(member.name)
            guard let column = columns.first(where: { $0.name == member.name }) else {
                let suggestion = columns.map(\.name).nearest(to: member.name)
                problems.append(FieldProblem.unknown(member.name, suggestion: suggestion).at(place))
                continue
            }
            if member.value.isNull, column.defaultValue != nil { continue }
            do throws(ValueError) {
                valid[member.name] = try column.normalised(member.value)
            } catch {
                problems += error.problems(at: place)
            }
        }
        for column in columns where column.isRequired && object[column.name] == nil {
            problems.append(FieldProblem.missing(column.name).at("".appendingPointer(column.name)))
        }
        guard problems.isEmpty else { throw .parts(Array(problems.prefix(maxReportedProblems))) }
        return JSONObject(
            columns.compactMap { column in
                (valid[column.name] ?? column.defaultValue).map { JSONObject.Member(column.name, $0) }
            })
    }
}

extension JSONValue {
    /// The most digits of a number before the point, and after it, in JSON of any shape. Every `Double` has fewer before
    /// it. Postgres writes all digits of `1e100000` when it is read.
    private static let maxDigits = 400

    /// This value as Postgres stores it, if it has the shape; nil: any value has.
    func normalised(as shape: Shape?) throws(ValueError) -> JSONValue {
        guard let shape else { return try storable() }
        return try shape.normalised(self)
    }

    /// This value, if Postgres can store it as `jsonb` without a change: no text or name contains U+0000, and numbers have
    /// a reasonable size.
    func storable() throws(ValueError) -> JSONValue {
        if let error = storageError { throw error }
        return self
    }

    /// The first reason why Postgres cannot store this value.
    private var storageError: ValueError? {
        switch self {
        case .null, .bool: return nil
        case .number(let digits):
            let isLong = digits.utf8.count > Self.maxDigits || digits.utf8.contains { $0 | 0x20 == UInt8(ascii: "e") }
            guard isLong, let decimal = DecimalText(digits) else { return nil }
            let count = max(decimal.digitsBeforePoint, decimal.digitsAfterPoint)
            return count > Self.maxDigits ? .tooManyDigits(Self.maxDigits) : nil
        case .string(let text): return text.utf8.contains(0) ? .nulCharacter : nil
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                if let error = element.storageError { return .parts(error.problems(at: "/\(index)")) }
            }
            return nil
        case .object(let object):
            for member in object.members {
                if member.name.utf8.contains(0) { return .nulCharacter }
                if let error = member.value.storageError {
                    return .parts(error.problems(at: "".appendingPointer(member.name)))
                }
            }
            return nil
        }
    }
}
