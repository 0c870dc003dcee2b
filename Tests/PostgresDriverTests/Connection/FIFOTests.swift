import Testing

@testable import PostgresDriver

struct FIFOTests {
    @Test func `elements leave in the order in which they came, also after growing and wrapping`() {
        var queue = FIFO<Int>()
        var model: [Int] = []
        for step in 0..<5_000 {
            switch Int.random(in: 0..<5) {
            case 0, 1:
                queue.append(step)
                model.append(step)
            case 2:
                queue.prepend(step)
                model.insert(step, at: 0)
            default:
                let expected = model.isEmpty ? nil : model.removeFirst()
                #expect(queue.first == expected)
                #expect(queue.popFirst() == expected)
            }
            #expect(queue.count == model.count)
        }
        #expect(queue.elements == model)
        #expect(queue.drain() == model)
        #expect(queue.isEmpty)
    }

    @Test func `removing elements keeps the order of the rest`() {
        var queue = FIFO<Int>()
        for number in 0..<10 { queue.append(number) }
        queue.removeAll { $0.isMultiple(of: 3) }
        #expect(queue.elements == [1, 2, 4, 5, 7, 8])
    }
}
