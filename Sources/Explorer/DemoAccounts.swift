import JSON

/// The accounts of the demo data, which anyone may use, and their password.
package struct DemoAccounts: Sendable {
    private let emails: [String]
    private let password: String

    package init(emails: [String], password: String) {
        self.emails = emails
        self.password = password
    }

    /// `{"accounts": […], "password": "…"}`, as the text of an element of the page.
    var json: String {
        var text: [UInt8] = []
        text.appendJSON(["accounts": .array(emails.map { .string($0) }), "password": .string(password)])
        // A tag would end the element.
        return String(decoding: text, as: UTF8.self).replacing("<", with: "\\u003c")
    }
}
