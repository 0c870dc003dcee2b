package import NIOHTTP1

extension HTTPHeaders {
    /// Whether `Accept` names HTML, and JSON with less weight or not at all, as browsers do when a person opens an address.
    /// `*/*` names neither.
    package var prefersPage: Bool {
        var (page, json) = (0.0, 0.0)
        for range in self[canonicalForm: "accept"] {
            let parts = range.split(separator: ";").map { $0.trimmingPrefix { $0 == " " || $0 == "\t" } }
            guard let type = parts.first?.lowercased().prefix(while: { $0 != " " && $0 != "\t" }) else { continue }
            let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }
                .map { Double($0.dropFirst(2).prefix { $0 != " " && $0 != "\t" }) ?? 0 }
            switch type {
            case "text/html", "application/xhtml+xml": page = Swift.max(page, weight ?? 1)
            case "application/json": json = Swift.max(json, weight ?? 1)
            default: break
            }
        }
        return page > json
    }
}
