import CRMDomain
import DomainKit
import JournalDomain

/// The domains this server serves. A further one is a line here, a folder of sources and its migrations.
let servedDomains: [Domain] = [CRM.domain, Journal.domain]

/// The Postgres collation by which texts sort. The migrations create it, and the indexes for orders use it.
let servedSortCollation = "francais"
