package import JSON

/// What a link to a document opens: a method that makes the document, and for whom.
package struct LinkedDocument: Sendable, Equatable {
    /// The name of the method.
    package let method: String
    /// The params of the call.
    package let params: JSONObject
    /// The account, and the sign-in or access key with which the link was made. A subscription has neither.
    package let user: AuthenticatedUser
    /// The role in which the document is made.
    package let acting: HeldRole

    /// Whether a subscription opens it, and not a link that was just made.
    package var isSubscribed: Bool { user.signInID.isEmpty && user.accessKeyID == nil }

    package init(method: String, params: JSONObject, user: AuthenticatedUser, acting: HeldRole) {
        self.method = method
        self.params = params
        self.user = user
        self.acting = acting
    }
}

/// Why a link does not open its document.
package enum DocumentLinkError: Error, Sendable {
    /// It is not a link of this service, or its subscription has ended.
    case unknown
    case expired
    /// The sign-in, the access key or the role with which the link was made has ended.
    case revoked
    /// No call is answered in its company. If that is suspended, it opens its document again when the company is resumed.
    case closed(CompanyClosure)
    /// The state of the link could not be read.
    case undecided(AuthError)
}
