/// What a signed-in person may be.
public enum Role: String, Sendable, Hashable, CaseIterable {
    case user
    case admin
}
