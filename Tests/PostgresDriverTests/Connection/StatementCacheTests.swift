import Testing

@testable import PostgresDriver

struct StatementCacheTests {
    let first = Statement("SELECT 1")
    let second = Statement("SELECT 2")
    let third = Statement("SELECT 3")

    @Test func `a statement is prepared once and keeps its name`() {
        var cache = StatementCache(capacity: 4)
        let new = cache.use(first)
        #expect(new.isNew)
        #expect(cache.use(first) == .init(name: new.name, isNew: false))
        #expect(cache.count == 1)
    }

    @Test func `two statement objects with the same text are different statements`() {
        var cache = StatementCache(capacity: 4)
        let same = Statement("SELECT 1")
        #expect(cache.use(first).name != cache.use(same).name)
    }

    @Test func `the least recently used statement is evicted and handed out for deallocation once`() {
        var cache = StatementCache(capacity: 2)
        let one = cache.use(first).name
        let two = cache.use(second).name
        _ = cache.use(first)
        _ = cache.use(third)
        #expect(cache.takeEvicted() == [two])
        #expect(cache.takeEvicted().isEmpty)
        #expect(cache.use(first).name == one)
        #expect(cache.use(second).isNew)
        #expect(cache.count == 2)
    }

    @Test func `statements are evicted until the bytes of a new one fit`() {
        var cache = StatementCache(capacity: 100, byteCapacity: 20)
        let names = [first, second].map { cache.use($0).name }
        #expect(cache.takeEvicted().isEmpty)
        let third = cache.use(third).name
        #expect(cache.takeEvicted() == [names[0]])
        let long = Statement("SELECT '" + String(repeating: "x", count: 100) + "'")
        _ = cache.use(long)
        #expect(cache.takeEvicted() == [names[1], third])
        #expect(cache.count == 1)
        #expect(!cache.use(long).isNew)
        cache.forget(long, name: cache.use(long).name, isOnServer: false)
        _ = cache.use(first)
        _ = cache.use(second)
        #expect(cache.takeEvicted().isEmpty && cache.count == 2)
    }

    @Test func `a name is never reused`() {
        var cache = StatementCache(capacity: 1)
        var names: Set<Int> = []
        for _ in 0..<10 {
            names.insert(cache.use(first).name)
            names.insert(cache.use(second).name)
        }
        #expect(names.count == 20)
        #expect(cache.takeEvicted().count == 19)
    }

    @Test func `a forgotten statement is prepared again, and deallocated if the server knows it`() {
        var cache = StatementCache(capacity: 4)
        let one = cache.use(first).name
        cache.forget(first, name: one, isOnServer: true)
        #expect(cache.takeEvicted() == [one])
        let again = cache.use(first)
        #expect(again.isNew)
        cache.forget(first, name: again.name, isOnServer: false)
        #expect(cache.takeEvicted().isEmpty)
        #expect(cache.count == 0)
    }

    @Test func `forgetting an older preparation leaves the newer one in place`() {
        var cache = StatementCache(capacity: 4)
        let old = cache.use(first).name
        cache.forget(first, name: old, isOnServer: false)
        let new = cache.use(first).name
        cache.forget(first, name: old, isOnServer: true)
        #expect(cache.use(first) == .init(name: new, isNew: false))
        #expect(cache.takeEvicted().isEmpty)
    }

    @Test func `after any order of uses the cache holds the most recently used statements`() {
        let statements = (0..<20).map { Statement("SELECT \($0)") }
        var generator = SystemRandomNumberGenerator()
        var cache = StatementCache(capacity: 7)
        var recent: [Int] = []
        for _ in 0..<2_000 {
            let index = Int.random(in: 0..<20, using: &generator)
            let isNew = cache.use(statements[index]).isNew
            #expect(isNew == !recent.contains(index))
            recent.removeAll { $0 == index }
            recent.append(index)
            if recent.count > 7 { recent.removeFirst() }
            #expect(cache.count == recent.count)
        }
    }
}
