import JSON
package import PostgresDriver

/// The terms on which a call writes.
package struct WriteTerms: Sendable {
    /// Nil for a call that is sent without an idempotency key.
    package var once: IdempotencyKey?
    /// Whether everything is undone once it has been tried.
    package var isDryRun = false

    package init(once: IdempotencyKey? = nil, isDryRun: Bool = false) {
        self.once = once
        self.isDryRun = isDryRun
    }
}

/// Identifies a call that the client may send again when it has lost the answer.
package struct IdempotencyKey: Sendable, Hashable {
    package let key: String
    /// The method of the call.
    package let method: String
    /// Of the method and the params.
    package let digest: [UInt8]

    package init(key: String, method: String, digest: [UInt8]) {
        self.key = key
        self.method = method
        self.digest = digest
    }

    /// The step that begins the write. It comes after the step that sets the account of the transaction.
    ///
    /// It is refused if the key is in use (``PostgresError/idempotencyConflict``), or if the write is done
    /// (``PostgresError/earlierAnswers``).
    package func beginning(for account: Int64?) -> Step { Step(Self.once, parameters(account)) }

    /// The step that keeps what the transaction has answered, if it has: a write that is refused without an error of the
    /// database leaves its key free.
    package func keepingAnswers(for account: Int64?) -> Step { Step(Self.keepAnswers, parameters(account)) }

    private func parameters(_ account: Int64?) -> [Parameter] {
        [.text(account.map { String($0) } ?? ""), .text(key), .text(method), .bytes(digest)]
    }

    private static let once = Statement("SELECT kernel.once($1::bigint, $2::text, $3::text, $4::bytea)")
    private static let keepAnswers = Statement(
        """
        SELECT kernel.keep_answers($1::bigint, $2::text, $3::text, $4::bytea)
        WHERE nullif(current_setting('learntrack.answers', true), '') IS NOT NULL
        """)
}

/// The reason why an idempotency key cannot be used.
package enum IdempotencyConflict: Sendable, Hashable {
    /// The call with this key is being executed.
    case running
    /// The key belongs to a call with other params.
    case otherParams
}

// MARK: Refusals

extension PostgresError {
    package var idempotencyConflict: IdempotencyConflict? {
        guard sqlState == "23000" else { return nil }
        return switch server?.constraint {
        case "kernel_idempotency_running": .running
        case "kernel_idempotency_params": .otherParams
        default: nil
        }
    }

    /// The answers of the earlier call with the same key; nil for other errors.
    package var earlierAnswers: [String?]? {
        sqlState == "23000" && server?.constraint == "kernel_idempotency_done" ? answers : nil
    }

    /// The answers in the detail of a refusal, a JSON array of texts.
    package var answers: [String?] {
        guard let detail = server?.detail, let document = try? JSONReader.read(detail),
            case .array(let elements) = document.value
        else { return [] }
        return elements.map(\.text)
    }
}
