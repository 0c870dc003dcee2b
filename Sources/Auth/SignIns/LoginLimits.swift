import Glibc
import Synchronization

/// Slows down whoever guesses passwords: by account, whether it exists or not, and by address.
///
/// After so many failures within a quarter of an hour the next attempt has to wait a second, then two, then four, up to
/// a minute. Nobody is locked out for good, and a success clears the account.
final class LoginLimits: Sendable {
    private struct Failures {
        var count = 0
        var last = 0.0
        var notBefore = 0.0
    }

    private enum Key: Hashable {
        case account(String)
        case address([UInt8])
    }

    private static let accountLimit = 10
    private static let addressLimit = 50
    /// Failures are forgotten so long after the last one, in seconds.
    private static let memory = 900.0
    private static let longestDelay = 60.0
    /// Keys held at most.
    private let capacity: Int

    private let failures = Mutex<[Key: Failures]>([:])
    private let clock: @Sendable () -> Double

    init(capacity: Int = 20_000, clock: @escaping @Sendable () -> Double) {
        self.capacity = capacity
        self.clock = clock
    }

    /// How many seconds an attempt has to wait; nil when it may be made now.
    func delay(email: String, address: String?) -> Int? {
        let now = clock()
        let wait = failures.withLock { failures in
            Self.keys(email, address).map { (failures[$0]?.notBefore ?? 0) - now }.max() ?? 0
        }
        return wait > 0 ? Int(wait.rounded(.up)) : nil
    }

    func failed(email: String, address: String?) {
        let now = clock()
        failures.withLock { failures in
            if failures.count >= capacity { Self.prune(&failures, now, to: capacity / 2) }
            for key in Self.keys(email, address) {
                var entry = failures[key] ?? Failures()
                if entry.last < now - Self.memory { entry = Failures() }
                entry.count += 1
                entry.last = now
                let excess = entry.count - Self.limit(of: key)
                if excess >= 0 {
                    // The exponent is bounded before the power: counts are an attacker's to choose.
                    entry.notBefore = now + min(Self.longestDelay, exp2(Double(min(excess, 10))))
                }
                failures[key] = entry
            }
        }
    }

    /// The owner is in: what others tried does not hold the account up any longer.
    func succeeded(email: String) {
        failures.withLock { $0[Self.accountKey(email)] = nil }
    }

    /// Forgets what has expired, then what was tried least.
    private static func prune(_ failures: inout [Key: Failures], _ now: Double, to size: Int) {
        failures = failures.filter { $0.value.last >= now - memory }
        guard failures.count > size else { return }
        let kept = failures.sorted { ($0.value.count, $0.value.last) > ($1.value.count, $1.value.last) }.prefix(size)
        failures = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }

    private static func limit(of key: Key) -> Int {
        switch key {
        case .account: accountLimit
        case .address: addressLimit
        }
    }

    private static func keys(_ email: String, _ address: String?) -> [Key] {
        [accountKey(email)] + (address.map { [.address(network(of: $0))] } ?? [])
    }

    private static func accountKey(_ email: String) -> Key {
        // No address is longer; the text is a stranger's.
        .account(String(email.lowercased().prefix(320)))
    }

    /// The bytes that tell one customer of a network from another: of IPv6 the first half, the rest is theirs to vary.
    private static func network(of address: String) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return Array(address.utf8) }
        let isMappedIPv4 = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        return isMappedIPv4 ? bytes : Array(bytes.prefix(8))
    }
}
