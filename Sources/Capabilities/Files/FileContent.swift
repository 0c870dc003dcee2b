import Documents
package import DomainKit

/// Recognises the formats of files by their content.
///
/// A file is of a format if it begins and ends as the format does. Of a PNG the whole structure is read, and of an SVG all of
/// it. A JPEG and a PDF may contain other bytes between their start and their end, as the second picture that cameras add. A
/// browser takes none of these for another format, because the answer with a file forbids it to guess. Pictures are not
/// decoded.
package enum FileContent {
    /// The format of a file; nil if it is none of those that the server keeps.
    package static func kind(of bytes: [UInt8]) -> FileKind? {
        bytes.withUnsafeBytes { bytes in
            if isPNG(bytes) { return .png }
            if isJPEG(bytes) { return .jpeg }
            if isPDF(bytes) { return .pdf }
            return SVGContent.isSafe(bytes) ? .svg : nil
        }
    }

    /// The pixels that the header of a picture names; 0 for a drawing and for what is no picture.
    ///
    /// - Parameter kind: the format that ``kind(of:)`` has found.
    static func pixels(of bytes: [UInt8], _ kind: FileKind) -> Int {
        bytes.withUnsafeBytes { bytes in
            switch kind {
            // A side has 31 bits (PNG, section 11.2.2). A file that says more does not make the product overflow.
            case .png:
                min(Int(number(bytes, at: 16, count: 4)), 1 << 31) * min(Int(number(bytes, at: 20, count: 4)), 1 << 31)
            case .jpeg: pixels(ofJPEG: bytes)
            default: 0
            }
        }
    }

    /// The signature, then chunks, the first of them IHDR and the last one IEND.
    private static func isPNG(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        guard bytes.starts(with: signature) else { return false }
        var position = signature.count
        var isFirst = true
        while bytes.count - position >= 12 {
            let length = Int(number(bytes, at: position, count: 4))
            let type = String(decoding: bytes[position + 4..<position + 8], as: UTF8.self)
            guard length <= bytes.count - position - 12 else { return false }
            if isFirst {
                guard type == "IHDR", length == 13, number(bytes, at: position + 8, count: 4) > 0,
                    number(bytes, at: position + 12, count: 4) > 0
                else { return false }
            }
            isFirst = false
            position += 12 + length
            if type == "IEND" { return length == 0 && position == bytes.count }
        }
        return false
    }

    /// Segments up to the first scan, with a frame among them, and the end of the picture as the last bytes.
    private static func isJPEG(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]), bytes.suffix(2).elementsEqual([0xFF, 0xD9]) else { return false }
        return framesOfJPEG(bytes)?.isEmpty == false
    }

    /// The most pixels of a frame: its height and width follow the precision of a sample. The height 0 says that the scan
    /// counts its lines, of which there may then be any number.
    private static func pixels(ofJPEG bytes: UnsafeRawBufferPointer) -> Int {
        let sizes = (framesOfJPEG(bytes) ?? []).map { frame in
            guard frame.count >= 7 else { return 0 }
            let height = Int(number(bytes, at: frame.lowerBound + 3, count: 2))
            return (height == 0 ? 65_535 : height) * Int(number(bytes, at: frame.lowerBound + 5, count: 2))
        }
        return sizes.max() ?? 0
    }

    /// The places of the segments that begin a frame, before the first scan; nil if the segments are malformed or have no scan.
    private static func framesOfJPEG(_ bytes: UnsafeRawBufferPointer) -> [Range<Int>]? {
        var frames: [Range<Int>] = []
        var position = 2
        while bytes.count - position >= 4, bytes[position] == 0xFF {
            let marker = bytes[position + 1]
            let length = Int(number(bytes, at: position + 2, count: 2))
            guard length >= 2, length <= bytes.count - position - 2 else { return nil }
            switch marker {
            case 0xFF: return nil
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                frames.append(position + 2..<position + 2 + length)
            case 0xDA: return frames
            default: break
            }
            position += 2 + length
        }
        return nil
    }

    /// The header with its version at the start, and the marker of the end in the last kibibyte, as readers look for it.
    private static func isPDF(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 16, bytes.starts(with: Array("%PDF-".utf8)),
            bytes[5] == UInt8(ascii: "1") || bytes[5] == UInt8(ascii: "2"),
            bytes[6] == UInt8(ascii: ".")
        else { return false }
        let end = Array("%%EOF".utf8)
        let tail = bytes.suffix(1_024)
        return tail.indices.contains { tail[$0...].starts(with: end) }
    }

    /// A number whose most significant byte comes first.
    private static func number(_ bytes: UnsafeRawBufferPointer, at position: Int, count: Int) -> UInt32 {
        bytes[position..<position + count].reduce(0) { $0 << 8 | UInt32($1) }
    }
}
