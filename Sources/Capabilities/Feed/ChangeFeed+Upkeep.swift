import Auth
import HTTPServer
import PostgresDriver
import RPCServer
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
            // Tokens and keys end by themselves, too.
            endInvalid()
            let tokens = state.withLock { state in
                Dictionary(grouping: state.members.members.values) { $0.authorization ?? "" }
            }
            // A revocation that was not announced, because LISTEN was interrupted, shows when the database is asked.
            let order = tokens.keys.sorted()
            for token in order.dropFirst(turn).prefix(Self.maxFullChecks) {
                await endRefused(tokens[token] ?? [], token)
            }
            turn = turn + Self.maxFullChecks < order.count ? turn + Self.maxFullChecks : 0
        }
    }

    /// Ends the streams of members to whom a call with their common token would not give the same rights, as far as that is
    /// known.
    private func endRefused(_ members: [Members.Member], _ authorization: String) async {
        var present: Caller?
        do throws(AuthenticationError) {
            present = try await authenticator.servedCaller(authorization, deadline: .now + .seconds(1))
        } catch {
            if case .undecided = error { return }
        }
        for member in members where member.caller != present { member.listener.end() }
    }

    /// Ends the streams of callers who may no longer listen, as far as is known without the database. A right that this
    /// instance withdraws ends them before the withdrawal is answered.
    ///
    /// - Parameter withdrawal: whose streams may have to end; nil for all, each of whose tokens is verified.
    func endInvalid(of withdrawal: Withdrawal? = nil) {
        let members = state.withLock { state in
            state.members.members.values.filter { withdrawal?.concerns($0.caller.user) ?? true }
        }
        for (authorization, listeners) in Dictionary(grouping: members, by: \.authorization) {
            for (caller, invalid) in Dictionary(grouping: listeners, by: \.caller)
            where !authenticator.isStillValid(caller, authorization) {
                for member in invalid { member.listener.end() }
            }
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
