package import HTTPServer
import NIOHTTP1

/// The pages that people work with: a shell that answers the paths of all screens, and the files that it loads. Everything is
/// read once and served from memory, so that the server never mixes two fronts when the folder is replaced.
package struct Front: Sendable {
    package let endpoints: [Endpoint]
    private let shell: FrontFile

    /// Reads the front in this folder.
    package init(folder: String) throws(FrontError) {
        let folder = FrontFolder(folder)
        let shell = FrontFile(
            try folder.content(of: FrontFolder.shell), .page, .asked,
            headers: FrontPolicy.headers + FrontPolicy.isolation)
        let worker = FrontFile(
            try folder.content(of: FrontFolder.worker), .script, .asked, headers: FrontPolicy.headers)
        let manifest = FrontFile(try folder.content(of: FrontFolder.manifest), .manifest, .asked)
        var endpoints = try folder.shellPaths().map { path in Endpoint(path) { shell.response(to: $0) } }
        // The shell shows its own page for an address that is none of its screens.
        endpoints.append(.missing(shell.whole))
        endpoints.append(Endpoint("/" + FrontFolder.worker) { worker.response(to: $0) })
        endpoints.append(Endpoint("/" + FrontFolder.manifest) { manifest.response(to: $0) })
        endpoints.append(try Self.app(folder.appFiles()))
        self.endpoints = endpoints
        self.shell = shell
    }

    /// The shell at further paths, such as those of the screens of a domain.
    package func pages(at paths: [String]) -> [Endpoint] {
        paths.map { [shell] path in Endpoint(path) { shell.response(to: $0) } }
    }

    /// The endpoint of the files whose names have a hash of their content.
    private static func app(_ files: [(name: String, content: [UInt8])]) throws(FrontError) -> Endpoint {
        var served: [String: FrontFile] = [:]
        for file in files {
            guard let type = FrontMediaType(ofFile: file.name) else {
                throw FrontError(description: "the front has a file of an unknown kind, \(file.name)")
            }
            served[file.name] = FrontFile(file.content, type, .forever)
        }
        var endpoint = Endpoint("/app/") { [served] request in
            // The endpoint has no other paths.
            served[request.subpath]?.response(to: request) ?? HTTPResponse(status: .notFound)
        }
        endpoint.subpaths = Set(served.keys)
        return endpoint
    }
}
