import Glibc
package import Logging
import NIOSSL
import Synchronization

/// The certificate of a server. A renewed pair of files is taken for new connections; those that are open keep the
/// certificate that they began with.
package final class ServerCertificate: Sendable {
    private struct State {
        var loaded: LoadedCertificate
        /// What the files contained when it was taken.
        var served: CertificatePair.Content
        /// What the files contained when they were last taken or reported.
        var known: CertificatePair.Content?
        /// A changed content that is not usable and was seen once. A renewal writes one file after the other.
        var doubtful: CertificatePair.Content?
        /// Why the files could not be read when that was last reported.
        var reportedError: CertificatePairError?
        /// Of the served certificate, when it was last looked at.
        var termState = CertificateTerm.State.valid
    }

    private let files: CertificatePair
    private let state: Mutex<State>

    package init(certificateFile: String, keyFile: String) throws(CertificatePairError) {
        files = CertificatePair(certificateFile: certificateFile, keyFile: keyFile)
        let content = try files.read()
        state = Mutex(State(loaded: try files.load(content), served: content, known: content))
    }

    /// For new connections.
    var context: NIOSSLContext { state.withLock { $0.loaded.context } }

    var names: CertificateNames { state.withLock { $0.loaded.names } }

    package var term: CertificateTerm { state.withLock { $0.loaded.term } }

    /// The host names that it is for.
    package var hosts: [String] { names.hosts }

    /// Whether it is for `host`, a name, an IPv4 address or an IPv6 address in brackets.
    package func covers(_ host: String) -> Bool { names.cover(host) }

    /// Looks at the files every `interval` until the task is cancelled, and at the term of the certificate that is served.
    package func follow(every interval: Duration = .seconds(2), _ logger: Logger) async {
        while true {
            checkTerm(logger)
            do { try await Task.sleep(for: interval) } catch { return }
            refresh(isAsked: false, logger)
        }
    }

    /// Says once when clients no longer accept the certificate, or soon will not. It serves on: a
    /// refused connection would not show what is wrong, and monitoring and proxies that do not verify it go on.
    private func checkTerm(_ logger: Logger) {
        let (term, now, before) = state.withLock { state in
            let (now, before) = (state.loaded.term.state(at: time(nil)), state.termState)
            state.termState = now
            return (state.loaded.term, now, before)
        }
        guard now != before else { return }
        let remedy: Logger.MetadataValue = "renew it; a renewed pair of files is taken without a restart"
        switch now {
        case .valid: break
        case .endsSoon:
            logger.warning(
                "The certificate ends soon and was not renewed", metadata: ["expires": "\(term.end)", "remedy": remedy])
        case .ended:
            logger.error(
                "The certificate has ended: clients refuse it", metadata: ["expired": "\(term.end)", "remedy": remedy])
        case .tooEarly:
            logger.error(
                "The certificate is not valid yet: clients refuse it",
                metadata: ["begins": "\(term.beginning)", "remedy": "look at the clock of this machine"])
        }
    }

    /// Takes the pair if the files have changed. One that is not usable is reported, and the old one is kept.
    /// - Parameter isAsked: whether an operator asks for it. Otherwise an unusable pair is reported when it is seen a second
    ///   time, and once.
    package func refresh(isAsked: Bool, _ logger: Logger) {
        state.withLock { state in
            do throws(CertificatePairError) {
                try refresh(&state, isAsked, logger)
            } catch {
                guard isAsked || state.reportedError != error else { return }
                state.reportedError = error
                logger.error("The certificate was not renewed; the old one is kept", metadata: ["reason": "\(error)"])
            }
        }
    }

    private func refresh(_ state: inout State, _ isAsked: Bool, _ logger: Logger) throws(CertificatePairError) {
        let content = try files.read()
        guard content != state.known || isAsked else {
            state.reportedError = nil
            return
        }
        guard content != state.served else {
            // The files are again what they were before a pair that was not usable.
            state.known = content
            state.doubtful = nil
            state.reportedError = nil
            if isAsked {
                logger.notice("The certificate is unchanged", metadata: ["expires": "\(state.loaded.term.end)"])
            }
            return
        }
        do throws(CertificatePairError) {
            let renewed = try files.load(content)
            try check(renewed.term)
            let isSameKey = renewed.publicKey == state.loaded.publicKey
            state.loaded = renewed
            state.served = content
            state.known = content
            state.doubtful = nil
            state.reportedError = nil
            logger.notice(
                "Certificate taken",
                metadata: [
                    "expires": "\(renewed.term.end)", "key": isSameKey ? "the same" : "another",
                    "names": "\(renewed.names.hosts.joined(separator: ", "))",
                ])
        } catch {
            guard isAsked || state.doubtful == content else {
                state.doubtful = content
                return
            }
            state.doubtful = content
            // One that is not valid yet is looked at again.
            let staysUnusable = if case .tooEarly = error { false } else { true }
            if staysUnusable { state.known = content }
            throw error
        }
    }

    /// A certificate that clients refuse does not replace another one.
    private func check(_ term: CertificateTerm) throws(CertificatePairError) {
        switch term.state(at: time(nil)) {
        case .ended: throw .ended(file: files.certificateFile, end: term.end)
        case .tooEarly: throw .tooEarly(file: files.certificateFile, beginning: term.beginning)
        case .valid, .endsSoon: break
        }
    }
}
