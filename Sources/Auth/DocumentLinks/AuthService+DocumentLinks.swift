/// Links to documents: signed ones, which are valid for fifteen minutes, and those of subscriptions.
extension AuthService {
    /// The token of a link to a document, and until when it is valid, in seconds since 1970. Nil if it would be too long.
    ///
    /// It ends before that with the sign-in or key in `document`, and with the role.
    package func linkToken(for document: LinkedDocument) -> (text: String, expiresAt: Int)? {
        documentLinks.token(for: document)
    }

    /// The company of a link that was just made, also when it is not valid any more; nil for other links.
    package func company(ofLink token: String) -> Int64? { documentLinks.company(of: token[...]) }

    /// What the token of a link opens.
    package func open(
        linkToken token: String, deadline: ContinuousClock.Instant? = nil
    ) async throws(DocumentLinkError) -> LinkedDocument {
        let (document, closure) = try await self.document(ofLink: token, deadline)
        if let closure { throw .closed(closure) }
        return document
    }

    /// What the token of a link opens, and why its company is closed, if it is.
    private func document(
        ofLink token: String, _ deadline: ContinuousClock.Instant?
    ) async throws(DocumentLinkError) -> (document: LinkedDocument, closure: CompanyClosure?) {
        let parts = token.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        // The payload of a signed link is longer than the digits of an id.
        if parts.count == 2, let id = Int64(parts[0]), id > 0, String(id) == parts[0] {
            return try await subscribedDocument(id, parts[1], deadline)
        }
        let document = try documentLinks.document(of: token[...])
        let state: SubscriptionStore.CredentialState?
        do throws(AuthError) {
            state = try await subscriptions.credential(of: document, deadline: deadline)
        } catch {
            throw .undecided(error)
        }
        guard let state else { throw .revoked }
        return (document, state.closure)
    }

    /// Makes a subscription, in a role that the account of `document` holds.
    ///
    /// - Parameter kind: the subscriptions of a domain to which it belongs.
    /// - Throws: `.tooManySubscriptions`; `.unauthenticated` if the account has just lost the role; `.idempotency`,
    ///   `.database`, `.timeout` or `.cancelled`.
    package func subscribe(
        to document: LinkedDocument, kind: String, named name: String?, on terms: WriteTerms,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> SubscriptionCreation {
        let secret = SubscriptionSecret(taggedWith: subscriptionKeys[0])
        let outcome = try await subscriptions.create(
            secret, to: document, kind: kind, named: name, on: terms, deadline: deadline)
        switch outcome {
        case .done(let id): return terms.isDryRun ? .withoutLink(id) : .created(id, token: "\(id).\(secret.text)")
        case .repeated(let answer):
            let id = answer.flatMap { Int64($0) } ?? 0
            return try await subscriptions.exists(id, in: document.user.company, deadline: deadline)
                ? .withoutLink(id) : .ended(id)
        }
    }

    /// The subscriptions of a kind, the newest first.
    ///
    /// - Parameter member: nil: those of every member of the company.
    package func listSubscriptions(
        kind: String, of member: Int64?, in company: Int64, deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> [SubscriptionSummary] {
        try await subscriptions.list(kind: kind, of: member, in: company, deadline: deadline)
    }

    /// Ends a subscription.
    ///
    /// - Parameters:
    ///   - member: whom it must belong to; nil for any member of the caller's company.
    ///   - caller: the member that ends it.
    /// - Returns: false if there is no such subscription.
    package func deleteSubscription(
        _ id: Int64, kind: String, of member: Int64?, by caller: Member, on terms: WriteTerms,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(AuthError) -> Bool {
        try await subscriptions.delete(id, kind: kind, of: member, by: caller, on: terms, deadline: deadline)
    }

    private func subscribedDocument(
        _ id: Int64, _ text: Substring, _ deadline: ContinuousClock.Instant?
    ) async throws(DocumentLinkError) -> (document: LinkedDocument, closure: CompanyClosure?) {
        guard let secret = SubscriptionSecret(text) else { throw .unknown }
        // Made-up secrets cannot flood the database. Those that were made with a secret that the server no longer has still
        // open their document, a few each second.
        if !subscriptionKeys.contains(where: secret.isTagged), !subscriptionLookups.admits(at: .now) {
            throw .undecided(.busy(retryAfter: 1))
        }
        let found: (document: LinkedDocument, closure: CompanyClosure?)?
        do throws(AuthError) {
            found = try await subscriptions.document(id, secret, deadline: deadline)
        } catch {
            throw .undecided(error)
        }
        guard let found else { throw .unknown }
        return found
    }

    private var subscriptions: SubscriptionStore { SubscriptionStore(database: database) }
}

/// What the creation of a subscription answers.
package enum SubscriptionCreation: Sendable {
    /// The token of its link is not stored anywhere.
    case created(Int64, token: String)
    /// An earlier call with the same idempotency key has shown the link, or the creation was only tried.
    case withoutLink(Int64)
    /// An earlier call with the same idempotency key has created this subscription, which has ended since.
    case ended(Int64)
}
