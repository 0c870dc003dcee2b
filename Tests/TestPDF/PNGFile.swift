import CZlib

/// A grey PNG that a library decodes.
package enum PNGFile {
    /// - Parameters:
    ///   - width: in pixels, as height.
    ///   - rows: what the data inflates to; without it, black rows of the picture.
    ///   - chunks: other chunks before the data.
    ///   - behind: what follows the end of the picture.
    package static func bytes(
        width: Int = 1, height: Int = 1, rows: [UInt8]? = nil, chunks: [(name: String, content: [UInt8])] = [],
        interlaced: Bool = false, behind: [UInt8] = []
    ) -> [UInt8] {
        let header = number(UInt32(width)) + number(UInt32(height)) + [8, 0, 0, 0, interlaced ? 1 : 0]
        let rows = rows ?? [UInt8](repeating: 0, count: (width + 1) * height)
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
            + chunks.flatMap { chunk($0.name, $0.content) } + chunk("IDAT", deflated(rows)) + chunk("IEND", []) + behind
    }

    /// A picture of this many bytes, at least 100 and more for a large one, unlike any other of the process.
    package static func bytes(count: Int, width: Int = 1, height: Int = 1) -> [UInt8] {
        let bare = bytes(width: width, height: height)
        let noise = (0..<8).map { _ in UInt8.random(in: 0...255) }
        let filling = [UInt8](repeating: 0, count: count - bare.count - 12 - noise.count)
        // A name that readers do not know, of a chunk that they may pass over (PNG, section 5.4).
        return bytes(width: width, height: height, chunks: [("noIs", noise + filling)])
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + content
        return number(UInt32(content.count)) + checked + number(UInt32(crc32(0, checked, UInt32(checked.count))))
    }

    private static func number(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// As zlib compresses them.
    package static func deflated(_ bytes: [UInt8]) -> [UInt8] {
        var count = compressBound(UInt(bytes.count))
        var result = [UInt8](repeating: 0, count: Int(count))
        compress2(&result, &count, bytes, UInt(bytes.count), 9)
        return Array(result.prefix(Int(count)))
    }
}
