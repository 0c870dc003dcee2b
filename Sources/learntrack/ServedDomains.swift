import CRMDomain
import CountingDomain
import DomainKit
import ServerProgram

extension ServedDomains {
    /// The domains that `--domains` may name. `docs/adding-a-domain.md` says how to add one to the program.
    static let known: [Domain] = [
        CRM.domain, Counting.domain,
    ]
}
