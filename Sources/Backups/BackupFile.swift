/// A file with a backup: an archive in pg_dump's custom format, sealed with its manifest.
///
/// `pg_restore` reads the file as it is, because it takes no notice of what follows the archive.
package struct BackupFile: Sendable {
    package let path: String
    package let manifest: BackupManifest

    private static let kind = SealedFile.Kind(
        name: "a backup", head: "PGDMP", mark: "learntrack-backup-1",
        otherwise: ", or pg_dump has made it, and pg_restore restores it")

    /// Makes a backup of an archive: appends manifest and checksum, and returns when the disk has the file.
    static func seal(_ path: String, _ manifest: BackupManifest) throws(BackupError) {
        try SealedFile.seal(path, as: kind, manifest)
    }

    /// Reads the manifest of a backup, after all bytes of the file have been compared with its checksum.
    package init(verifying path: String) throws(BackupError) {
        let file = try SealedFile(verifying: path, as: Self.kind)
        manifest = try file.manifest(BackupManifest.self)
        self.path = path
    }
}
