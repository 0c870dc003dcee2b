import OutgoingHTTP

/// Whether the server can listen on an address, or does.
struct ListenerExamination: Sendable {
    /// What is answered there.
    enum Use: Sendable {
        /// By `http` or `https`.
        case service(String)
        case redirect
        case metrics
    }

    let probe: ListenerProbe
    let use: Use

    /// Nil if the address is free.
    func finding() async -> Finding? {
        do throws(ListenerError) {
            try probe.examine()
            return nil
        } catch {
            guard error.isInUse, await isOwn() else {
                return .fault("listening", error.description, remedy: error.remedy)
            }
            return .ok("listening", "LearnTrack listens on \(probe.host), port \(probe.port)")
        }
    }

    /// Whether what listens there answers as this program does. Any certificate will do: nothing is entrusted to it.
    private func isOwn() async -> Bool {
        let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][probe.host] ?? probe.host
        let place = "\(host.contains(":") ? "[\(host)]" : host):\(probe.port)"
        let (scheme, path) =
            switch use {
            case .service(let scheme): (scheme, "/health/live")
            case .redirect: ("http", "/health/live")
            case .metrics: ("http", "/metrics")
            }
        let hosts = OutgoingHosts(named: [place, "\(host.lowercased()):\(probe.port)"])
        let client = OutgoingHTTPClient(hosts, timeout: 3, verifiesCertificates: false)
        do throws(OutgoingRequestError) {
            let target = try hosts.target("\(scheme)://\(place)\(path)")
            let response = try await client.send("GET", to: target, headers: [], body: [])
            return switch use {
            case .service:
                response.status == 200 && String(decoding: response.body, as: UTF8.self) == #"{"status":"ok"}"#
            case .redirect: response.status == 308
            case .metrics: String(decoding: response.body, as: UTF8.self).contains("outbox_sent_total")
            }
        } catch {
            return false
        }
    }
}
