import Synchronization

/// A bounded dictionary that forgets what was not asked for lately.
///
/// Entries live in two generations; what is found in the old one moves to the young one, and when the young one is
/// full it becomes the old one. So a look-up costs no bookkeeping, and at most twice `capacity` entries are kept.
final class GenerationCache<Key: Hashable & Sendable, Entry: Sendable>: Sendable {
    private struct Generations {
        var young: [Key: Entry] = [:]
        var old: [Key: Entry] = [:]
    }

    private let capacity: Int
    private let generations = Mutex(Generations())

    init(capacity: Int) {
        self.capacity = capacity
    }

    subscript(key: Key) -> Entry? {
        generations.withLock { generations in
            if let entry = generations.young[key] { return entry }
            guard let entry = generations.old[key] else { return nil }
            Self.keep(entry, for: key, in: &generations, capacity: capacity)
            return entry
        }
    }

    /// Keeps `entry` unless another call was quicker; what is kept then is returned.
    func insert(_ entry: Entry, for key: Key) -> Entry {
        generations.withLock { generations in
            if let kept = generations.young[key] ?? generations.old[key] { return kept }
            Self.keep(entry, for: key, in: &generations, capacity: capacity)
            return entry
        }
    }

    var count: Int {
        generations.withLock { Set($0.young.keys).union($0.old.keys).count }
    }

    private static func keep(_ entry: Entry, for key: Key, in generations: inout Generations, capacity: Int) {
        if generations.young.count >= capacity {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[key] = entry
    }
}
