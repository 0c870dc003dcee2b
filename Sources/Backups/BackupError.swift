/// Why a backup, or the file of a company, cannot be made or read, in one line for the person who started the command.
package struct BackupError: Error, CustomStringConvertible, Equatable {
    package let description: String

    init(_ description: String) { self.description = description }
}
