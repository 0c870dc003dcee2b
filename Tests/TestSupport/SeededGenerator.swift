import Foundation

/// Random numbers that are the same in every run (SplitMix64), so that a failure can be looked into.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    package mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    package mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    package mutating func pick<Choices: Collection>(_ choices: Choices) -> Choices.Element {
        choices[choices.index(choices.startIndex, offsetBy: number(0...choices.count - 1))]
    }
}

/// Whether a test goes through everything, instead of one example of each kind: `script/test --thorough`.
package let isThorough = casesFactor > 1

private let casesFactor = ProcessInfo.processInfo.environment["TEST_CASES_FACTOR"].flatMap { Int($0) } ?? 1

/// How many random cases a test runs: `usual`, or as many times that as `TEST_CASES_FACTOR` says.
package func randomCases(_ usual: Int) -> Int { usual * casesFactor }
