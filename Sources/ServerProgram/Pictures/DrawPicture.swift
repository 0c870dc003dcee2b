import ArgumentParser
import DomainKit
import Glibc
import PDF

/// The process of ``PictureProcess``: reads a picture from standard input and writes it to standard output as a PNG.
struct DrawPicture: ParsableCommand {
    static let name = "draw-picture"
    static let configuration = CommandConfiguration(
        commandName: name, abstract: "Draw a picture, for the server.", shouldDisplay: false)

    /// How the process ends without a picture.
    enum Status: Int32 {
        case unreadable = 3
        /// Nothing can be drawn: what it writes says why.
        case unavailable = 4
    }

    /// In seconds of computing. A usual logo takes a tenth of one, most of which is loading the libraries.
    private static let maxSeconds: UInt = 2
    /// In bytes, beside what the program has at its start. The largest picture that is taken has 64 MB decoded.
    private static let maxMemory: UInt = 512 * 1_024 * 1_024

    func run() throws {
        if let problem = Self.limit() {
            write(problem, to: STDOUT_FILENO)
            throw ExitCode(Status.unavailable.rawValue)
        }
        let picture = PDFImage(Self.readAll(), maxPixels: FileKind.maxPixels)
        do {
            guard let png = try picture.bitmap() else { throw ExitCode(Status.unreadable.rawValue) }
            try writeAll(png, to: STDOUT_FILENO)
        } catch let error as PDFError {
            write(error.description, to: STDOUT_FILENO)
            throw ExitCode(Status.unavailable.rawValue)
        }
    }

    /// The kernel ends a process that computes for longer, by a signal that says so. Memory beyond the limit is refused, and the
    /// libraries then give up.
    ///
    /// - Returns: why a limit cannot be set. A picture is not drawn without it.
    private static func limit() -> String? {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
        let used = addressSpace
        guard used > 0 else { return "how much memory the process has is not known" }
        let hasLimits =
            // At its hard limit a process is killed, as it is when the machine has no memory left.
            set(RLIMIT_CPU, maxSeconds, atMost: maxSeconds + 2) && set(RLIMIT_CORE, 0, atMost: 0)
            && set(RLIMIT_AS, used + maxMemory, atMost: used + maxMemory)
        return hasLimits ? nil : "a limit of the process cannot be set (errno \(errno))"
    }

    /// Sets a soft and a hard limit. A limit that the process has already, and that is lower, stays.
    private static func set(_ resource: __rlimit_resource, _ soft: UInt, atMost hard: UInt) -> Bool {
        let resource = __rlimit_resource_t(resource.rawValue)
        var limits = rlimit()
        guard getrlimit(resource, &limits) == 0 else { return false }
        limits.rlim_max = min(limits.rlim_max, rlim_t(hard))
        limits.rlim_cur = min(limits.rlim_max, rlim_t(soft))
        return setrlimit(resource, &limits) == 0
    }

    /// Of this process, in bytes: the first number of its statistics, in pages.
    private static var addressSpace: UInt {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let digits = readAll(of: file).prefix { (0x30...0x39).contains($0) }
        return (UInt(String(decoding: digits, as: UTF8.self)) ?? 0) * UInt(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static func readAll(of descriptor: Int32 = STDIN_FILENO) -> [UInt8] {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &part, part.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += part[..<count]
        }
    }
}
