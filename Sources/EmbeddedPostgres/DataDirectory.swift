import ChildProcesses
import FoundationEssentials
import Glibc
import SystemPackage
import TextEncodings

/// The directory of the embedded Postgres's data and of the generated secret.
package struct DataDirectory: Sendable {
    package let path: String
    let account: SystemAccount

    var postgres: String { path + "/postgres" }
    var log: String { path + "/postgres.log" }
    var lock: String { path + "/lock" }
    var secret: String { path + "/secret" }

    /// - Parameter path: absolute, or relative to the working directory. nil: `.learntrack` in the working directory;
    ///   for root `/var/lib/learntrack`, because the system user `postgres` cannot enter a clone under /root.
    package init(_ path: String?) throws {
        account = try .forPostgres()
        let given = path ?? (account.ids == nil ? ".learntrack" : "/var/lib/learntrack")
        let absolute = given.hasPrefix("/") ? given : FileManager.default.currentDirectoryPath + "/" + given
        self.path = URL(fileURLWithPath: absolute).standardizedFileURL.path
    }

    /// Whether there is a database, or a server may be creating one.
    package var mayHaveDatabase: Bool {
        // Without the right to enter the directory it is not known.
        let files = [postgres + "/PG_VERSION", lock]
        return files.contains { access($0, F_OK) == 0 || errno == EACCES }
    }

    /// Why a command that needs a database does not run.
    package var missingDatabase: EmbeddedPostgresError {
        EmbeddedPostgresError(
            "there is no database in \(path): give the --data-dir of the server (LEARNTRACK_DATA_DIR), or --database-url; "
                + "'learntrack serve' creates a new one")
    }

    /// Creates the directory when it is missing, and checks that this process and Postgres's account can use it.
    func prepare() async throws {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            let code = mkdir(path, 0o700) == 0 ? 0 : errno
            throw EmbeddedPostgresError(
                "cannot create the data directory \(path): "
                    + (code == EEXIST ? "there is a file of this name" : "\(Errno(rawValue: code))")
                    + ": give a --data-dir that this account may write")
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else {
            throw EmbeddedPostgresError(
                "cannot use the data directory \(path): \(Errno(rawValue: errno)): run the command as the account of the "
                    + "server, as learntrackctl of the Debian package does, or give another --data-dir")
        }
        guard account.ids != nil else { return }
        let (executable, arguments) = account.command("/usr/bin/test", ["-x", path])
        let test = try await ChildProcess.run(executable, arguments, environment: PostgresPrograms.environment)
        guard test.status == 0 else {
            throw EmbeddedPostgresError(
                "started by root, Postgres runs as the system user postgres, which cannot enter \(path): "
                    + "choose another --data-dir")
        }
    }

    // MARK: - The database cluster

    /// The major version of Postgres that created the data; nil before the first start.
    func version() throws -> Int? {
        guard let content = FileManager.default.contents(atPath: postgres + "/PG_VERSION") else { return nil }
        return Int(String(decoding: content, as: UTF8.self).trimmingWhitespace)
    }

    /// Creates the database cluster under a temporary name and renames it when it is complete, so that the
    /// next start does not take the remains of an interrupted one for data.
    func createCluster(with programs: PostgresPrograms) async throws {
        try await removeIncompleteClusters()
        let new = path + "/postgres.new-\(UInt32.random(in: .min ... .max))"
        guard mkdir(new, 0o700) == 0 else { throw EmbeddedPostgresError.system("cannot create \(new)", errno) }
        try account.takeOwnership(of: new)
        let initdb = try await programs.run(
            "initdb",
            [
                "-D", new, "-U", EmbeddedPostgres.user, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8",
            ])
        guard initdb.status == 0 else { throw EmbeddedPostgresError("initdb: \(initdb.errors.lastLines(3))") }
        // Single-user mode reads one statement a line and needs no server.
        let create = try await programs.run(
            "postgres", ["--single", "-D", new, "postgres"], input: "CREATE DATABASE \(EmbeddedPostgres.database)\n")
        guard create.status == 0, !create.errors.contains("ERROR") else {
            throw EmbeddedPostgresError("cannot create the database: \(create.errors.lastLines(3))")
        }
        guard rename(new, postgres) == 0 else {
            throw EmbeddedPostgresError.system("cannot rename \(new)", errno)
        }
    }

    private func removeIncompleteClusters() async throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasPrefix("postgres.new") {
            for attempt in 1... {
                do {
                    try FileManager.default.removeItem(atPath: path + "/" + name)
                    break
                } catch {
                    // The initdb of a server that was killed may still write there.
                    guard attempt < 100 else { throw EmbeddedPostgresError("cannot remove \(path)/\(name)") }
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
        }
    }

    /// Stops a Postgres that a killed server has left running on this data, and removes its `postmaster.pid`.
    ///
    /// The caller holds the lock, so no living server uses that Postgres.
    func stopOrphanedPostgres() async throws {
        guard let file = PostmasterFile(dataDirectory: postgres) else { return }
        for signal in [SIGINT, SIGQUIT, SIGKILL] where file.isAlive(in: postgres) {
            kill(file.process, signal)
            for _ in 0..<200 where file.isAlive(in: postgres) { try await Task.sleep(for: .milliseconds(50)) }
        }
        guard !file.isAlive(in: postgres) else {
            throw EmbeddedPostgresError("process \(file.process), a Postgres on \(postgres), does not stop")
        }
        // Another program may have this process id by now, and Postgres would take it for a running server.
        if PostmasterFile(dataDirectory: postgres) == file { unlink(PostmasterFile.path(in: postgres)) }
    }

    // MARK: - Postgres's log

    /// Empties the log when it is larger than 10 MiB. Postgres logs little, so once a start is enough.
    func truncateLog() throws {
        var status = stat()
        guard stat(log, &status) == 0, status.st_size > 10 << 20 else { return }
        guard truncate(log, 0) == 0 else { throw EmbeddedPostgresError.system("cannot write \(log)", errno) }
    }

    func endOfLog() -> String {
        String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self).lastLines(3)
    }

    // MARK: - The secret

    /// The secret that signs access tokens when the settings give none: 64 hexadecimal digits of 256 random bits.
    ///
    /// It is generated once and kept with the data, readable by its owner only.
    package func serverSecret() throws -> String {
        if let content = FileManager.default.contents(atPath: secret) {
            let text = String(decoding: content, as: UTF8.self).trimmingWhitespace
            guard text.utf8.count >= 32 else {
                throw EmbeddedPostgresError("the secret in \(secret) is too short: delete the file to get a new one")
            }
            guard chmod(secret, 0o600) == 0 else {
                throw EmbeddedPostgresError.system("cannot protect \(secret)", errno)
            }
            return text
        }
        guard access(secret, F_OK) != 0 else { throw EmbeddedPostgresError("cannot read \(secret)") }
        var random = SystemRandomNumberGenerator()
        let text = (0..<4).map { _ in
            let digits = String(random.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
        // Written under a temporary name, so that no reader sees a part of it.
        let new = secret + ".new"
        unlink(new)
        do {
            let file = try FileDescriptor.open(
                FilePath(new), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: .ownerReadWrite)
            try file.closeAfter {
                try file.writeAll((text + "\n").utf8)
                guard fsync(file.rawValue) == 0 else { throw Errno(rawValue: errno) }
            }
        } catch let error as Errno {
            throw EmbeddedPostgresError.system("cannot write \(new)", error.rawValue)
        }
        guard rename(new, secret) == 0 else { throw EmbeddedPostgresError.system("cannot write \(secret)", errno) }
        return text
    }
}

extension String {
    fileprivate func lastLines(_ count: Int) -> String {
        split(separator: "\n").suffix(count).joined(separator: " / ")
    }
}
