import Synchronization

/// What was found out of tokens a moment ago, so that the next call with one costs a look-up and no signature.
///
/// Two generations of a bounded size: what was not asked for during one whole generation is forgotten.
final class TokenCache<Found: Sendable>: Sendable {
    private struct Generations {
        var young: [String: Found] = [:]
        var old: [String: Found] = [:]
    }

    private let generations = Mutex(Generations())
    private let capacity: Int

    /// - Parameter capacity: tokens per generation.
    init(capacity: Int = 4096) {
        self.capacity = capacity
    }

    subscript(key: String) -> Found? {
        generations.withLock { generations in
            if let found = generations.young[key] { return found }
            guard let found = generations.old[key] else { return nil }
            keep(found, key, &generations)
            return found
        }
    }

    func insert(_ verified: Found, for key: String) {
        generations.withLock { keep(verified, key, &$0) }
    }

    func remove(_ key: String) {
        generations.withLock { generations in
            generations.young[key] = nil
            generations.old[key] = nil
        }
    }

    var count: Int {
        generations.withLock { $0.young.count + $0.old.count }
    }

    private func keep(_ verified: Found, _ key: String, _ generations: inout Generations) {
        if generations.young.count >= capacity {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[key] = verified
    }
}
