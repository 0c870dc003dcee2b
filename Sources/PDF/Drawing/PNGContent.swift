import CZlib

/// The chunks of a PNG that its pixels are made of, measured before a library decodes them.
///
/// A few bytes may inflate to a thousand times as many, all of which the library would read. It gets none of the other chunks,
/// such as a profile of colours, which are compressed as well.
struct PNGContent {
    /// The first bytes of a PNG.
    static let mark: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    let width: Int
    let height: Int
    /// Whether nothing follows the end of the picture.
    let isWhole: Bool
    /// The picture without the other chunks.
    let bytes: [UInt8]

    /// Nil if the bytes are no PNG, one of more pixels, or one whose data inflates to more than its pixels.
    init?(_ file: [UInt8], maxPixels: Int) {
        guard file.starts(with: Self.mark), let header = PNGChunk(file, at: Self.mark.count), header.isNamed("IHDR"),
            header.content.count == 13
        else { return nil }
        let start = header.content.lowerBound
        (width, height) = (PNGChunk.number(file, at: start), PNGChunk.number(file, at: start + 4))
        guard width > 0, height > 0, width <= maxPixels, height <= maxPixels, width * height <= maxPixels else {
            return nil
        }
        var kept = Self.mark + file[header.all]
        var data: [Range<Int>] = []
        var position = header.all.upperBound
        while let chunk = PNGChunk(file, at: position) {
            position = chunk.all.upperBound
            guard ["PLTE", "tRNS", "IDAT", "IEND"].contains(where: chunk.isNamed) else { continue }
            if chunk.isNamed("IDAT") { data.append(chunk.content) }
            kept += file[chunk.all]
            if chunk.isNamed("IEND") {
                bytes = kept
                isWhole = position == file.count
                let rows = Self.rowBytes(
                    width, height, depth: Int(file[start + 8]), color: file[start + 9],
                    isInterlaced: file[start + 12] != 0)
                guard let rows, Self.inflates(data, of: file, toAtMost: rows) else { return nil }
                return
            }
        }
        return nil
    }

    /// The bytes of all rows, each with a byte for its filter (PNG, sections 7.2 and 8); nil for a type of colour that there is not.
    private static func rowBytes(
        _ width: Int, _ height: Int, depth: Int, color: UInt8, isInterlaced: Bool
    ) -> Int? {
        let channels: [UInt8: Int] = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4]
        guard let channels = channels[color], depth <= 16 else { return nil }
        let passes =
            isInterlaced
            ? [(0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2)]
            : [(0, 1, 0, 1)]
        return passes.reduce(0) { sum, pass in
            let (left, across, top, down) = pass
            let columns = (width - left + across - 1) / across
            let rows = (height - top + down - 1) / down
            return columns > 0 && rows > 0 ? sum + rows * (1 + (columns * depth * channels + 7) / 8) : sum
        }
    }

    /// Whether data inflates to so many bytes at most. Some writers add a few, which the library passes over.
    private static func inflates(_ data: [Range<Int>], of file: [UInt8], toAtMost limit: Int) -> Bool {
        // zlib keeps the address of its state.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        guard inflateInit_(stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return false }
        defer { inflateEnd(stream) }
        var output = [UInt8](repeating: 0, count: 65_536)
        var room = limit + output.count
        for range in data {
            let status = file[range].withUnsafeBytes { input in
                // zlib does not write to its input, but its type does not say so.
                stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: input.assumingMemoryBound(to: UInt8.self).baseAddress)
                stream.pointee.avail_in = UInt32(input.count)
                var status = Z_OK
                repeat {
                    output.withUnsafeMutableBytes { part in
                        stream.pointee.next_out = part.assumingMemoryBound(to: UInt8.self).baseAddress
                        stream.pointee.avail_out = UInt32(part.count)
                        status = inflate(stream, Z_NO_FLUSH)
                        room -= part.count - Int(stream.pointee.avail_out)
                    }
                } while status == Z_OK && stream.pointee.avail_out == 0 && room >= 0
                return status
            }
            guard room >= 0 else { return false }
            if status == Z_STREAM_END { return true }
            // Without input there is nothing to do, which is no fault.
            guard status == Z_OK || status == Z_BUF_ERROR else { return false }
        }
        return true
    }
}

/// A part of a PNG: its length, its name, its content and a checksum.
private struct PNGChunk {
    let all: Range<Int>
    let content: Range<Int>
    private let name: ArraySlice<UInt8>

    /// Nil if the file does not have all of it.
    init?(_ file: [UInt8], at position: Int) {
        guard file.count - position >= 12 else { return nil }
        let length = Self.number(file, at: position)
        guard length <= file.count - position - 12 else { return nil }
        name = file[position + 4..<position + 8]
        content = position + 8..<position + 8 + length
        all = position..<position + 12 + length
    }

    func isNamed(_ other: String) -> Bool { name.elementsEqual(other.utf8) }

    /// A number of four bytes, the most significant one first.
    static func number(_ file: [UInt8], at position: Int) -> Int {
        file[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
    }
}
