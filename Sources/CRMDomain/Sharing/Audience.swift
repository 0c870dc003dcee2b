/// Who will read a shared session.
enum Audience: String, CaseIterable {
    /// The trainer who is sought or informed: the point of sharing.
    case formateur
    case client
    /// The organisation's own administrators.
    case interne
}
