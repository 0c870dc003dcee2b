import DomainKit
import JSON

/// What a selection can return from its relationships, for each record it is applied to.
struct QueryCost: Sendable, Equatable {
    /// The sum over all to-many relationships of the product of `first` along the path to each.
    private(set) var rows = 0
    /// The bytes of all records with values of typical length: that of the record itself and those of ``rows``.
    private(set) var bytes = 0
    /// The relationship with the greatest product, as the path of its keys in the answer.
    private var pathOfRows: String?
    private var greatestProduct = 0
    /// The path to the records of one level that have the most bytes; nil for the record itself.
    private var pathOfBytes: String?
    private var greatestBytes = 0

    /// Adds the rows of a to-many relationship.
    mutating func add(product: Int, path: [String]) {
        rows = saturatingSum(rows, product)
        if product > greatestProduct {
            greatestProduct = product
            pathOfRows = path.joined(separator: ".")
        }
    }

    /// Adds the fields of `rows` records, without those of their relationships.
    mutating func add(fieldsOf selection: SelectionShape, rows: Int, path: [String]) {
        let product = saturatingProduct(rows, selection.typicalWidth)
        bytes = saturatingSum(bytes, product)
        if product > greatestBytes {
            greatestBytes = product
            pathOfBytes = path.isEmpty ? nil : path.joined(separator: ".")
        }
    }

    /// The cost of a list of `first` records.
    ///
    /// - Parameter parameterBytes: the size of the values that the call sends to Postgres.
    func total(first: Int, parameterBytes: Int = 0) -> CallCost {
        CallCost(
            rows: saturatingSum(first, saturatingProduct(first, rows)), bytes: saturatingProduct(first, bytes),
            parameterBytes: parameterBytes, pathOfRows: pathOfRows, pathOfBytes: pathOfBytes)
    }
}

/// The cost of a call, which is known when the call has been planned.
package struct CallCost: Sendable, Equatable {
    /// The rows that the call can return at most.
    package private(set) var rows = 0
    /// The bytes that it can return, with values of typical length.
    package private(set) var bytes = 0
    /// The size of the values that the call sends to Postgres.
    package private(set) var parameterBytes = 0
    /// Descriptions of the whole service, which are large and the same for all clients.
    package private(set) var descriptions = 0
    fileprivate private(set) var pathOfRows: String?
    fileprivate private(set) var pathOfBytes: String?

    package init() {}

    fileprivate init(rows: Int, bytes: Int, parameterBytes: Int, pathOfRows: String?, pathOfBytes: String?) {
        self.rows = rows
        self.bytes = bytes
        self.parameterBytes = parameterBytes
        self.pathOfRows = pathOfRows
        self.pathOfBytes = pathOfBytes
    }

    /// - Parameter width: the bytes of a row.
    init(rows: Int, width: Int, parameterBytes: Int) {
        self.init(
            rows: rows, bytes: saturatingProduct(rows, width), parameterBytes: parameterBytes, pathOfRows: nil,
            pathOfBytes: nil)
    }

    /// The cost of a description of the service.
    package static let description: CallCost = {
        var cost = CallCost()
        cost.descriptions = 1
        return cost
    }()

    /// The error for one call of this cost; nil when it is within the limits.
    func limitError(_ limits: CallLimits) -> QueryLimitError? { limitError(limits, isBatch: false) }

    fileprivate func limitError(_ limits: CallLimits, isBatch: Bool) -> QueryLimitError? {
        func error(_ excess: QueryLimitError.Excess, _ max: Int, _ path: String? = nil) -> QueryLimitError {
            QueryLimitError(excess: excess, max: max, path: path, isOfBatch: isBatch)
        }
        if rows > limits.cost { return error(.rows(rows), limits.cost, pathOfRows) }
        if bytes > limits.resultBytes { return error(.bytes(bytes), limits.resultBytes, pathOfBytes) }
        if parameterBytes > limits.parameterBytes {
            return error(.parameterBytes(parameterBytes), limits.parameterBytes)
        }
        return descriptions > 1 ? error(.descriptions(descriptions), 1) : nil
    }

    /// The cost of both calls, with the paths of the second one.
    package func adding(_ other: CallCost) -> CallCost {
        var sum = other
        sum.rows = saturatingSum(rows, other.rows)
        sum.bytes = saturatingSum(bytes, other.bytes)
        sum.parameterBytes = saturatingSum(parameterBytes, other.parameterBytes)
        sum.descriptions += descriptions
        return sum
    }
}

/// What the calls of one HTTP request may still cost. The calls of a batch share it.
package struct RequestBudget: Sendable {
    private let limits: CallLimits
    private var spent: CallCost?

    package init(_ limits: CallLimits) {
        self.limits = limits
    }

    /// Charges a call.
    ///
    /// - Throws: the exceeded limit. The call is not charged then, and a smaller one may follow.
    package mutating func charge(_ cost: CallCost) throws(QueryLimitError) {
        let total = spent?.adding(cost) ?? cost
        if let error = total.limitError(limits, isBatch: spent != nil) { throw error }
        spent = total
    }
}

/// Params that are valid but ask for too much.
package struct QueryLimitError: Error, Sendable, Equatable {
    enum Excess: Sendable, Equatable {
        case depth
        /// The number of rows that the selection can return.
        case rows(Int)
        /// The number of bytes that the selection can return.
        case bytes(Int)
        /// The number of fields and fragments in the selection.
        case fields(Int)
        /// The size of the values that are sent to Postgres.
        case parameterBytes(Int)
        /// The number of descriptions of the service.
        case descriptions(Int)
    }

    let excess: Excess
    /// The value of the exceeded limit.
    package let max: Int
    /// The most expensive or deepest relation, as the path of its keys in the answer: `books.author`.
    package let path: String?
    /// Whether the call is within the limit by itself, but not with the calls before it in the batch.
    var isOfBatch = false

    /// The value of `data.limit` in the error object: `selection_depth` or `cost`.
    package var name: String { excess == .depth ? "selection_depth" : "cost" }

    /// The number that exceeds ``max``. Nil for `selection_depth`.
    package var cost: Int? {
        switch excess {
        case .depth: nil
        case .rows(let count), .bytes(let count), .fields(let count), .parameterBytes(let count),
            .descriptions(let count):
            count
        }
    }

    /// The unit of ``cost``.
    package var unit: Unit? {
        switch excess {
        case .depth: nil
        case .rows: .rows
        case .bytes, .parameterBytes: .bytes
        case .fields: .fields
        case .descriptions: .calls
        }
    }

    package enum Unit: String, Sendable, CaseIterable {
        case rows, bytes, fields, calls
    }
}

// MARK: - Widths

/// The quotes, colon and comma around a key.
private let keyPunctuation = 4

extension SelectionShape {
    /// The bytes of one record in the answer, with values of typical length and without the records of its
    /// relationships.
    fileprivate var typicalWidth: Int {
        fields.reduce(2) { width, field in
            let key = field.key.utf8.count + keyPunctuation
            let value =
                switch field {
                case .typename: table.name.utf8.count + 2
                case .field(_, let field): field.type.typicalWidth
                case .one, .many: 2
                }
            return saturatingSum(width, key + value)
        }
    }
}

extension GroupKey {
    /// The bytes of the key in one group of the answer, with a value of typical length.
    var typicalWidth: Int { spelling.utf8.count + keyPunctuation + field.type.typicalWidth }
}

extension AggregateOutput {
    /// The bytes of the number or numbers in one group of the answer.
    var typicalWidth: Int {
        let number = 12
        return switch self {
        case .count(let key): key.utf8.count + keyPunctuation + number
        case .function(let key, _, let fields):
            fields.reduce(key.utf8.count + keyPunctuation + 2) { $0 + $1.key.utf8.count + keyPunctuation + number }
        }
    }
}

extension FieldType {
    /// The bytes of a typical value as JSON.
    var typicalWidth: Int {
        switch self {
        case .smallint: 2
        case .bigint, .integer: 6
        case .decimal: 8
        case .boolean: 5
        // A limit of a thousand or more keeps out what nobody writes, and says nothing of what is usual.
        case .text(let maxLength?) where maxLength < 1_000: min(maxLength, 32) + 2
        case .text: 64 + 2
        case .choice(let choices): (choices.words.map(\.utf8.count).max() ?? 0) + 2
        case .date: 12
        case .time: 10
        case .timestamp: 34
        case .uuid: 38
        case .json: 512
        }
    }
}
