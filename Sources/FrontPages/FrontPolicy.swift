/// What a browser may do with the pages of the front.
enum FrontPolicy {
    /// Everything comes from this server, and no text becomes markup or code.
    static let headers = [
        (
            name: "Content-Security-Policy",
            value: [
                "default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
                "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:", "connect-src 'self'",
                "manifest-src 'self'", "worker-src 'self'", "require-trusted-types-for 'script'",
            ].joined(separator: "; ")
        )
    ]

    /// Pages that this one opens have no hold on it, and pages elsewhere do not learn which record was open.
    static let isolation = [
        (name: "Cross-Origin-Opener-Policy", value: "same-origin"), (name: "Referrer-Policy", value: "same-origin"),
    ]
}
