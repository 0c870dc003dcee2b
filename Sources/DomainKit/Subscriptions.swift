/// Subscriptions to a document: links without an end, which programs such as calendars fetch at intervals.
///
/// They give three methods to every role that may call the method of the document: one that subscribes, with the parameters
/// of the document; `list`; and `delete`. An account lists and deletes its own subscriptions, an administrator all.
///
/// ```swift
/// Subscriptions(
///     name: "feeds", subscribe: "create", document: "shelves.feed", noun: Noun("abonnement", plural: "abonnements"))
/// ```
public struct Subscriptions: Sendable {
    /// The first half of the names of the methods.
    public let name: String
    /// The second half of the name of the method that subscribes.
    public let subscribe: String
    /// The name of a method of the same domain that makes a document.
    public let document: String
    /// The parameter, and the member of the list, by which people tell their subscriptions apart.
    public let label: String
    /// What a subscription is, in French.
    public let noun: Noun

    /// Creates the subscriptions to a document.
    ///
    /// - Parameters:
    ///   - name: the first half of the names of the methods.
    ///   - subscribe: the second half of the name of the method that subscribes.
    ///   - document: the name of a method that makes a document.
    ///   - label: the name of the parameter that names a subscription.
    ///   - noun: what a subscription is.
    public init(name: String, subscribe: String, document: String, label: String = "name", noun: Noun) {
        self.name = name
        self.subscribe = subscribe
        self.document = document
        self.label = label
        self.noun = noun
    }
}
