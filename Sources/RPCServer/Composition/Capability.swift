package import HTTPServer

/// Something that a service does beside the calls which the domains declare, such as keeping files: what it adds to the service.
///
/// The service is composed of a list of them, and knows none by its name. What one needs of another is given to it when it is made.
package struct Capability: Sendable {
    /// What domains declare for it. A service without it would leave that out.
    var serves: Set<DomainPart> = []
    /// Its methods.
    var methods: [Method] = []
    /// What it adds to methods that write, by their names. A domain need not have them all.
    var writeExtensions: [String: WriteExtension] = [:]
    /// Those of its paths that developers of clients use, for the description of the service.
    var operations: [HTTPOperation] = []
    /// Its paths beside `POST /rpc`, with what answers them.
    var endpoints: [Endpoint] = []

    package init(
        serves: Set<DomainPart> = [], methods: [Method] = [], writeExtensions: [String: WriteExtension] = [:],
        operations: [HTTPOperation] = [], endpoints: [Endpoint] = []
    ) {
        self.serves = serves
        self.methods = methods
        self.writeExtensions = writeExtensions
        self.operations = operations
        self.endpoints = endpoints
    }
}
