import AccountsDomain
import CRMDomain
import DomainKit

/// The domains that this server serves, in the order of their documentation. `docs/adding-a-domain.md` says how to add
/// one.
let servedDomains: [Domain] = [CRM.domain, Accounts.domain, Journal.domain]

/// The Postgres collation by which texts sort. The migrations create it, and the indexes for orders use it.
let servedSortCollation = "francais"
