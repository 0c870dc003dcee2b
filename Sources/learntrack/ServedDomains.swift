import CRMDomain
import DomainKit
import JournalDomain

/// The domains this server serves. A further one is a line here, a folder of sources and its migrations.
let servedDomains: [Domain] = [CRM.domain, Journal.domain]
