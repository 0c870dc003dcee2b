/// Why a backup cannot be made or restored, in one line for the person who started the command.
package struct BackupError: Error, CustomStringConvertible, Equatable {
    package let description: String

    init(_ description: String) { self.description = description }
}
