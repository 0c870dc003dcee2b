import Auth
import HTTPServer
import PostgresDriver
import Synchronization

/// What the feed does every second and every minute.
extension ChangeFeed {
    private static let tokenCheckInterval: Duration = .seconds(1)
    /// How many tokens a second are checked as those of calls are, which may ask the database.
    private static let maxFullChecks = 20
    private static let pruningInterval: Duration = .seconds(60)
    private static let prunedAtOnce = 2_000

    /// Ends the streams with tokens that have expired or been revoked.
    func checkTokens() async {
        var turn = 0
        while !Task.isCancelled {
            await Self.sleep(for: Self.tokenCheckInterval)
            let tokens = state.withLock { state in
                Dictionary(grouping: state.members.members.values) { $0.authorization ?? "" }
            }
            var ended = tokens.keys.filter { !isUsable($0) }
            // A revocation that was not announced, because LISTEN was interrupted, shows when the database is asked.
            let usable = tokens.keys.sorted()
            for token in usable.dropFirst(turn).prefix(Self.maxFullChecks) {
                let isAccepted = await isAccepted(token)
                if !isAccepted { ended.append(token) }
            }
            turn = turn + Self.maxFullChecks < usable.count ? turn + Self.maxFullChecks : 0
            for token in ended {
                for member in tokens[token] ?? [] { member.listener.end() }
            }
        }
    }

    private func isUsable(_ authorization: String) -> Bool {
        do throws(TokenError) {
            try authenticator.verify(authorization)
            return true
        } catch {
            return false
        }
    }

    /// Whether a call with this token would be accepted, as far as that is known.
    private func isAccepted(_ authorization: String) async -> Bool {
        do throws(AuthenticationError) {
            _ = try await authenticator.caller(authorization, deadline: .now + .seconds(1))
            return true
        } catch {
            if case .refused = error { return false }
            return true
        }
    }

    /// Removes changes that are older than the retention, with listeners or without. Of several instances one at a time
    /// does it.
    func prune() async {
        while !Task.isCancelled {
            var removed = 0
            do throws(PostgresError) {
                removed = try await log.prune(keeping: configuration.retention, atMost: Self.prunedAtOnce)
            } catch {
                // The driver has logged the error. The next call removes what this one has not.
            }
            await Self.sleep(for: removed < Self.prunedAtOnce ? Self.pruningInterval : configuration.interval)
        }
    }
}
