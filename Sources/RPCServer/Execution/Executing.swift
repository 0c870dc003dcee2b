/// Carries out what was planned.
protocol Executing: Sendable {
    func run(_ plan: Plan, for call: Call) async throws(ExecutionFault) -> Answer
}
