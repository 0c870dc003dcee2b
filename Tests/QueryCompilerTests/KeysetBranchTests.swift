import DomainKit
import JSON
import Testing

@testable import QueryCompiler

struct KeysetBranchTests {
    /// A random number generator that is repeatable.
    struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    typealias Row = [Int?]

    /// Whether `left` sorts before `right`. Nulls sort last in both directions.
    private static func precedes(_ left: Row, _ right: Row, _ keys: [OrderKey]) -> Bool {
        for (index, key) in keys.enumerated() {
            switch (left[index], right[index]) {
            case (nil, nil): continue
            case (nil, _): return false
            case (_, nil): return true
            case (let a?, let b?) where a != b: return key.isDescending ? a > b : a < b
            default: continue
            }
        }
        return false
    }

    /// Whether the branch's SQL condition is true, with SQL's rules for null.
    private static func holds(
        _ branch: KeysetBranch, for row: Row, after cursor: Row?, of rows: [Row], _ keys: [OrderKey]
    )
        -> Bool
    {
        func greatest(_ index: Int) -> Int? {
            rows.compactMap { $0[index] }.filter { $0 < cursor?[index] ?? .max }.max()
        }
        return branch.terms.allSatisfy { term in
            switch term {
            case .equal(let index): return row[index] != nil && row[index] == cursor?[index]
            case .null(let index): return row[index] == nil
            case .notNull(let index): return row[index] != nil
            case .greatest(let index): return row[index] != nil && row[index] == greatest(index)
            case .belowGreatest(let index):
                guard let value = row[index], let bound = greatest(index) else { return false }
                return value < bound
            case .after(let range):
                // A row comparison ends at the first pair that differs or contains null.
                for index in range {
                    guard let a = row[index], let b = cursor?[index] else { return false }
                    if a != b { return keys[index].isDescending ? a < b : a > b }
                }
                return false
            }
        }
    }

    private static let relationship = Relationship(Sample.sessions.relations[0], of: Sample.sessions)

    private static func orders(_ dice: inout Dice) -> [OrderKey] {
        let count = Int.random(in: 0...3, using: &dice)
        let keys = (0..<count).map { index in
            let column = Column("k\(index)", .integer, nullable: Bool.random(using: &dice), summary: "")
            let path = Bool.random(using: &dice) ? [] : [relationship]
            return OrderKey(
                path: path, field: Field(column, at: index, isIndexed: true), isDescending: Bool.random(using: &dice))
        }
        let id = Field(Column("id", .bigint, nullable: false, summary: ""), at: count)
        return keys + [OrderKey(path: [], field: id, isDescending: Bool.random(using: &dice))]
    }

    @Test(arguments: 0..<100)
    func `the branches are the rows after the cursor, each once and in order`(_ seed: Int) {
        var dice = Dice(state: UInt64(seed) &* 7_919 &+ 17)
        let keys = Self.orders(&dice)
        var rows: [Row] = (0..<60).map { id in
            keys.dropLast().map { key in
                key.isNullable && Int.random(in: 0..<3, using: &dice) == 0 ? nil : Int.random(in: 0..<4, using: &dice)
            } + [id]
        }
        rows.sort { Self.precedes($0, $1, keys) }
        func found(_ branches: [KeysetBranch], after cursor: Row?) -> [Row] {
            branches.flatMap { branch in rows.filter { Self.holds(branch, for: $0, after: cursor, of: rows, keys) } }
        }
        for (index, cursor) in rows.enumerated() {
            let branches = KeysetBranch.branches(of: keys, hasValue: cursor.map { $0 != nil })
            let rest = Array(rows[(index + 1)...])
            #expect(found(branches, after: cursor) == rest, "order \(keys.map(\.spelling))")
            #expect(found(KeysetBranch.separatingGreatest(branches, of: keys), after: cursor) == rest)
        }
        let all = KeysetBranch.branches(of: keys)
        #expect(found(all, after: nil) == rows)
        #expect(found(KeysetBranch.separatingGreatest(all, of: keys), after: nil) == rows)
    }

    @Test
    func `keys in one direction that are never null make one row comparison`() {
        let columns = ["date", "id"].enumerated().map { index, name in
            OrderKey(
                path: [], field: Field(Column(name, .date, nullable: false, summary: ""), at: index, isIndexed: true),
                isDescending: true)
        }
        #expect(KeysetBranch.branches(of: columns, hasValue: [true, true]) == [KeysetBranch(terms: [.after(0..<2)])])
    }
}
