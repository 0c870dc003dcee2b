import JSON
import Synchronization

/// A dictionary of bounded size that evicts entries which have not been used recently (the CLOCK algorithm).
///
/// Entries are in a ring, each with a mark that a look-up sets. A new entry replaces the first one without a mark, from
/// the position of the hand on; the hand clears the marks that it passes. So a look-up costs only one mark more, and an
/// insertion frees at most one entry: no call has to free hundreds.
final class ClockCache<Key: Hashable & Sendable, Entry: Sendable>: Sendable {
    private struct Slot {
        let key: Key
        let entry: Entry
        var isMarked = false
    }

    private struct Clock {
        var slots: [Slot] = []
        var indices: [Key: Int] = [:]
        var hand = 0
    }

    private let capacity: Int
    private let clock = Mutex(Clock())

    /// - Parameter capacity: the maximum number of entries, at least one.
    init(capacity: Int) {
        self.capacity = capacity
    }

    subscript(key: Key) -> Entry? {
        clock.withLock { clock in
            guard let index = clock.indices[key] else { return nil }
            clock.slots[index].isMarked = true
            return clock.slots[index].entry
        }
    }

    /// Adds an entry unless another call has added one for this key. Returns the entry that the cache has now.
    func insert(_ entry: Entry, for key: Key) -> Entry {
        clock.withLock { clock in
            if let index = clock.indices[key] { return clock.slots[index].entry }
            guard clock.slots.count == capacity else {
                clock.indices[key] = clock.slots.count
                clock.slots.append(Slot(key: key, entry: entry))
                return entry
            }
            while clock.slots[clock.hand].isMarked {
                clock.slots[clock.hand].isMarked = false
                clock.hand = (clock.hand + 1) % capacity
            }
            clock.indices[clock.slots[clock.hand].key] = nil
            clock.indices[key] = clock.hand
            clock.slots[clock.hand] = Slot(key: key, entry: entry)
            clock.hand = (clock.hand + 1) % capacity
            return entry
        }
    }

    var count: Int { clock.withLock { $0.slots.count } }
}

/// A text that equals another only if their bytes are equal, for use as a cache key.
///
/// To `String`, `é` equals `e` followed by a combining accent. A cache of compiled texts with `String` keys would give
/// one call the literals of another.
struct ExactText: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (left: ExactText, right: ExactText) -> Bool {
        var (left, right) = (left.text, right.text)
        guard left.utf8.count == right.utf8.count else { return false }
        return left.withUTF8 { left in right.withUTF8 { areSame(UnsafeRawBufferPointer(left), .init($0)) } }
    }

    /// Compares two buffers of the same length, eight bytes at a time: this is most of the cost of a cached selection.
    private static func areSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset + 8 <= left.count {
            let word = left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            guard word == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self) else { return false }
            offset += 8
        }
        while offset < left.count {
            guard left[offset] == right[offset] else { return false }
            offset += 1
        }
        return true
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
