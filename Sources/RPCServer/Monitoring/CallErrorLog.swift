package import HTTPServer
import JSON
package import Logging

/// Logs the causes of internal errors, which the response does not name.
package struct CallErrorLog: RequestObserver {
    private let logger: Logger

    package init(logger: Logger) {
        self.logger = logger
    }

    package func observe(_ event: RequestEvent) {
        for call in event.calls {
            guard let cause = call.cause else { continue }
            logger.error(
                "\(cause)",
                metadata: ["request_id": .string(event.requestID), "method": .string(call.method ?? "-")])
        }
    }
}
