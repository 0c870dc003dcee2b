import CXCrypt
import Crypto
import Glibc
import TextEncodings

/// Password hashes as `crypt` knows them: `$y$…` (yescrypt, what is written here), `$2b$…` (bcrypt) and the rest.
///
/// Slow on purpose; call it on `HashingThreadPool`.
package enum PasswordHash {
    /// yescrypt's cost: 16 MiB and some ten milliseconds a hash. 7 would take 64 MiB.
    private static let cost: UInt = 5
    private static let currentPrefix = "$y$"

    /// A new hash of `password` with a salt of its own; nil when the system gives no salt or no memory.
    package static func make(of password: String) -> String? {
        guard let setting = crypt_gensalt_ra(currentPrefix, cost, nil, 0) else { return nil }
        defer { free(setting) }
        return crypt(phrase(of: password), setting: String(cString: setting))
    }

    /// Whether `hash` is a hash of `password`. A text that is no hash, or of a kind unknown here, is a hash of nothing.
    package static func matches(_ password: String, _ hash: String) -> Bool {
        guard isUsable(hash), let computed = crypt(phrase(of: password), setting: hash) else { return false }
        return ConstantTime.areEqual(computed.utf8, hash.utf8)
    }

    /// Whether `hash` is one that `make` would write today.
    package static func isCurrent(_ hash: String) -> Bool {
        hash.hasPrefix(currentPrefix)
    }

    /// Whether a matching `hash` proves all of `password`: bcrypt reads 72 bytes and no more.
    package static func provesWhole(_ password: String, _ hash: String) -> Bool {
        !hash.hasPrefix("$2") || password.utf8.count <= 72
    }

    /// Whether `hash` is of a kind that is accepted here: what `crypt` calls valid, less the kinds before `$` (they
    /// read eight characters), less costs that would take a thread for minutes.
    package static func isUsable(_ hash: String) -> Bool {
        guard hash.hasPrefix("$"), !hash.utf8.contains(0), hash.utf8.count < Int(CRYPT_OUTPUT_SIZE) else {
            return false
        }
        let status = crypt_checksalt(hash)
        guard status == CRYPT_SALT_OK || status == CRYPT_SALT_METHOD_LEGACY else { return false }
        return hasBearableCost(hash)
    }

    /// Whoever may write hashes must not be able to hold up sign-ins with one that takes minutes to check.
    private static func hasBearableCost(_ hash: String) -> Bool {
        let parts = hash.split(separator: "$")
        guard parts.count >= 3 else { return false }
        switch parts[0] {
        case "1": return true
        case "2a", "2b", "2y": return Int(parts[1]).map { $0 <= 15 } ?? false
        case "5", "6":
            guard parts[1].hasPrefix("rounds=") else { return true }
            return Int(parts[1].dropFirst("rounds=".count)).map { $0 <= 200_000 } ?? false
        case "y":
            // `j9T`: the flavour, the logarithm of the memory, the block size; more letters mean more passes.
            let letters = Array(parts[1].utf8)
            return letters.count == 3 && letters[0] == UInt8(ascii: "j") && letters[1] <= UInt8(ascii: "C")
                && letters[2] <= UInt8(ascii: "T")
        default: return false
        }
    }

    /// The bytes that are hashed: the password's own, or, where `crypt` would refuse their number, a digest of all of
    /// them. Nothing is ever cut.
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
        // 32 KiB: too much for a stack that this code does not own. It is zeroed first, as crypt.h asks.
        let data = UnsafeMutablePointer<crypt_data>.allocate(capacity: 1)
        memset(data, 0, MemoryLayout<crypt_data>.size)
        defer {
            // The scratch space holds traces of the password.
            explicit_bzero(data, MemoryLayout<crypt_data>.size)
            data.deallocate()
        }
        guard let result = crypt_r(phrase, setting, data) else { return nil }
        let hash = String(cString: result)
        // A refusal is a text that begins with a star, never nil.
        return hash.hasPrefix("*") ? nil : hash
    }
}
