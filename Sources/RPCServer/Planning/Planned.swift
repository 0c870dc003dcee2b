import DomainKit
import QueryCompiler

/// What `plan` gives, its refusal as a failure of the call.
func planned<Result>(_ plan: () throws(PlanError) -> Result) throws(CallFailure) -> Result {
    do throws(PlanError) {
        return try plan()
    } catch {
        switch error {
        case .problems(let problems): throw .params(problems)
        case .limit(let limit): throw .limit(limit)
        }
    }
}
