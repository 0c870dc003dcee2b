import CXCrypt
import Crypto
import Glibc
import TextEncodings

/// Password hashes of libxcrypt's `crypt`: yescrypt (`$y$…`), in which new hashes are made, bcrypt (`$2b$…`) and others.
///
/// The functions that hash are slow on purpose, and must be called on the ``HashingThreadPool``.
package enum PasswordHash {
    /// The cost of yescrypt: 16 MiB and some ten milliseconds for a hash. A cost of 7 would take 64 MiB.
    private static let cost: UInt = 5
    private static let currentPrefix = "$y$"

    /// A new hash of `password` with a new salt. Nil if the system has no randomness or no memory.
    package static func make(of password: String) -> String? {
        guard let setting = crypt_gensalt_ra(currentPrefix, cost, nil, 0) else { return nil }
        defer { free(setting) }
        return crypt(phrase(of: password), setting: String(cString: setting))
    }

    /// Whether `hash` is a hash of `password`. False for a text that is not usable as a hash.
    package static func matches(_ password: String, _ hash: String) -> Bool {
        guard isUsable(hash), let computed = crypt(phrase(of: password), setting: hash) else { return false }
        return ConstantTime.areEqual(computed.utf8, hash.utf8)
    }

    /// Whether `hash` is of the kind that `make` returns.
    package static func isCurrent(_ hash: String) -> Bool {
        hash.hasPrefix(currentPrefix)
    }

    /// Whether `hash` depends on every byte of `password`. bcrypt reads only the first 72 bytes.
    package static func coversAll(of password: String, _ hash: String) -> Bool {
        !hash.hasPrefix("$2") || password.utf8.count <= 72
    }

    /// Whether `hash` is accepted: `crypt` must support its kind, it must not be one of the oldest kinds, which begin
    /// without `$` and read only eight characters, and its cost must be bounded.
    package static func isUsable(_ hash: String) -> Bool {
        guard hash.hasPrefix("$"), !hash.utf8.contains(0), hash.utf8.count < Int(CRYPT_OUTPUT_SIZE) else {
            return false
        }
        let status = crypt_checksalt(hash)
        guard status == CRYPT_SALT_OK || status == CRYPT_SALT_METHOD_LEGACY else { return false }
        return hasBoundedCost(hash)
    }

    /// A hash of unbounded cost could occupy a hashing thread for minutes.
    private static func hasBoundedCost(_ hash: String) -> Bool {
        let parts = hash.split(separator: "$")
        guard parts.count >= 3 else { return false }
        switch parts[0] {
        case "1": return true
        case "2a", "2b", "2y": return Int(parts[1]).map { $0 <= 15 } ?? false
        case "5", "6":
            guard parts[1].hasPrefix("rounds=") else { return true }
            return Int(parts[1].dropFirst("rounds=".count)).map { $0 <= 200_000 } ?? false
        case "y":
            // `j9T`: the flavour, the logarithm of the memory and the block size. Further letters would mean more passes.
            let letters = Array(parts[1].utf8)
            return letters.count == 3 && letters[0] == UInt8(ascii: "j") && letters[1] <= UInt8(ascii: "C")
                && letters[2] <= UInt8(ascii: "T")
        default: return false
        }
    }

    /// The text that is hashed: the password, or a digest of it if `crypt` would reject the password for its length or
    /// for a NUL character. A password is never truncated.
    private static func phrase(of password: String) -> [CChar] {
        let bytes = Array(password.utf8)
        if bytes.count < Int(CRYPT_MAX_PASSPHRASE_SIZE), !bytes.contains(0) {
            return bytes.map { CChar(bitPattern: $0) } + [0]
        }
        let key = SymmetricKey(data: Array("long password".utf8))
        let digest = HMAC<SHA512>.authenticationCode(for: bytes, using: key)
        return Base64URL.encode(digest).utf8.map { CChar(bitPattern: $0) } + [0]
    }

    private static func crypt(_ phrase: [CChar], setting: String) -> String? {
        // 32 KiB are too much for the stack of an unknown thread. crypt.h requires that the memory is zeroed.
        let data = UnsafeMutablePointer<crypt_data>.allocate(capacity: 1)
        memset(data, 0, MemoryLayout<crypt_data>.size)
        defer {
            // The memory holds parts of the password.
            explicit_bzero(data, MemoryLayout<crypt_data>.size)
            data.deallocate()
        }
        guard let result = crypt_r(phrase, setting, data) else { return nil }
        let hash = String(cString: result)
        // libxcrypt reports an error by a text that begins with a star.
        return hash.hasPrefix("*") ? nil : hash
    }
}
