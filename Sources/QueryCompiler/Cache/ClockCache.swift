import Synchronization

/// A bounded dictionary that forgets what was not asked for lately (CLOCK replacement).
///
/// Entries stand in a ring, each with a mark that is set when it is found. A new one takes the place of the first
/// that the hand finds without a mark; the marks it passes are taken off. So a look-up costs no more than a mark, and
/// an insertion frees one entry at most: no call pays for freeing hundreds.
final class ClockCache<Key: Hashable & Sendable, Entry: Sendable>: Sendable {
    private struct Slot {
        let key: Key
        let entry: Entry
        var isMarked = false
    }

    private struct Clock {
        var slots: [Slot] = []
        var places: [Key: Int] = [:]
        var hand = 0
    }

    private let capacity: Int
    private let clock = Mutex(Clock())

    /// - Parameter capacity: at least one.
    init(capacity: Int) {
        self.capacity = capacity
    }

    subscript(key: Key) -> Entry? {
        clock.withLock { clock in
            guard let place = clock.places[key] else { return nil }
            clock.slots[place].isMarked = true
            return clock.slots[place].entry
        }
    }

    /// Keeps `entry` unless another call was quicker; what is kept then is returned.
    func insert(_ entry: Entry, for key: Key) -> Entry {
        clock.withLock { clock in
            if let place = clock.places[key] { return clock.slots[place].entry }
            guard clock.slots.count == capacity else {
                clock.places[key] = clock.slots.count
                clock.slots.append(Slot(key: key, entry: entry))
                return entry
            }
            while clock.slots[clock.hand].isMarked {
                clock.slots[clock.hand].isMarked = false
                clock.hand = (clock.hand + 1) % capacity
            }
            clock.places[clock.slots[clock.hand].key] = nil
            clock.places[key] = clock.hand
            clock.slots[clock.hand] = Slot(key: key, entry: entry)
            clock.hand = (clock.hand + 1) % capacity
            return entry
        }
    }

    var count: Int { clock.withLock { $0.slots.count } }
}
