/// The time in which a certificate is valid, in seconds since 1970.
package struct CertificateTerm: Sendable, Equatable {
    package enum State: Sendable, Equatable {
        case tooEarly
        case valid
        /// Its renewal has failed.
        case endsSoon
        case ended
    }

    let begins: Int
    package let ends: Int

    /// A certificate ends soon in its last fourteen days, or in the last sixth of its time if it is valid for less than twelve
    /// weeks. Renewal programs renew it earlier.
    package func state(at now: Int) -> State {
        if now < begins { return .tooEarly }
        if now >= ends { return .ended }
        return ends - now < min(14 * 86_400, (ends - begins) / 6) ? .endsSoon : .valid
    }

    /// As `2027-02-21T09:30:00Z`.
    package var beginning: String { UTCDate.text(begins) }
    package var end: String { UTCDate.text(ends) }
}
