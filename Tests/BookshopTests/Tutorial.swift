import Foundation
import TestSupport

/// The parts of `docs/adding-a-domain.md` that tests verify.
struct Tutorial {
    /// A file that the page shows, with its path below the root of the project.
    struct File {
        let path: String
        let content: String
    }

    /// A call that the page shows: the body of the request and that of the response.
    struct Call {
        let request: String
        let response: String
    }

    private(set) var files: [File] = []
    private(set) var calls: [Call] = []

    /// Reads the page. A file is the code block after a comment `<!-- file: PATH -->`; a call is a block that begins with
    /// `rpc '`, and its response the next block.
    init() throws {
        let page = try String(contentsOfFile: ProjectFiles.root() + "/docs/adding-a-domain.md", encoding: .utf8)
        var path: String?
        var request: String?
        var block: [Substring]?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if let mark = line.wholeMatch(of: /<!-- file: (.+) -->/) {
                path = String(mark.1)
            } else if !line.hasPrefix("```") {
                block?.append(line)
            } else if let lines = block {
                let text = lines.joined(separator: "\n")
                if let file = path {
                    files.append(File(path: file, content: text + "\n"))
                } else if let call = request {
                    calls.append(Call(request: call, response: text))
                }
                request = text.wholeMatch(of: /rpc '([^']+)'/).map { String($0.1) }
                path = nil
                block = nil
            } else {
                block = []
            }
        }
    }
}
