import Testing

@testable import Auth

/// security.md: "new password under 10 characters, among the 10,000 most common (a list the project ships), equal to the
/// e-mail, over 200 characters | refused, with the reason; any other composition is accepted; nothing is ever cut".
struct PasswordPolicyTests {
    @Test(arguments: [
        ("123456789", PasswordPolicyError.tooShort),
        ("é👍🏽23", .tooShort),
        (String(repeating: "a", count: 201), .tooLong),
        ("Anne@Exemple.fr", .equalsEmail),
        ("1234567890", .tooCommon),
        ("QwertyUIOP", .tooCommon),
        ("password123", .tooCommon),
        ("motdepasse", .tooCommon),
        ("demo-learntrack", nil),
        ("aaaaaaaaab", nil),
        ("          ", nil),
        ("ééééééééééé", nil),
        (String(repeating: "🗝", count: 200), nil),
    ])
    func `the policy judges length, the e-mail and common passwords, and no composition`(
        password: String, expected: PasswordPolicyError?
    ) {
        #expect(PasswordPolicy.violation(in: password, email: "anne@exemple.FR") == expected)
    }
}
