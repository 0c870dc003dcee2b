import DomainKit
import Testing

@testable import Files

/// The formats of files by their content.
@Suite struct FileContentTests {
    private static func chunk(_ type: String, _ data: [UInt8] = []) -> [UInt8] {
        [0, 0, UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + Array(type.utf8) + data + [0, 0, 0, 0]
    }

    private static let header = chunk("IHDR", [0, 0, 0, 1, 0, 0, 0, 1, 8, 6, 0, 0, 0])
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    private static let png = signature + header + chunk("IDAT", [1, 2, 3]) + chunk("IEND")
    private static let jpeg: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xC0, 0, 4, 1, 2, 0xFF, 0xDA, 0, 2, 7, 7, 0xFF, 0xD9]
    private static let pdf = Array("%PDF-1.7\n1 0 obj\nendobj\ntrailer\n%%EOF\n".utf8)

    @Test func `a file is of the format as which it begins and ends`() {
        #expect(FileContent.kind(of: Self.png) == .png)
        #expect(FileContent.kind(of: Self.jpeg) == .jpeg)
        #expect(FileContent.kind(of: Self.pdf) == .pdf)
        let wrong: [[UInt8]] = [
            [], Array("GIF89a".utf8), Array("<html></html>".utf8), Array("PK\u{3}\u{4}".utf8), Self.signature,
            Self.png + Array("<script>".utf8), Array(Self.png.dropLast()), Self.signature + Self.chunk("IEND"),
            Self.jpeg + [0], Array(Self.jpeg.dropLast(2)), [0xFF, 0xD8, 0xFF, 0xD9],
            [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF, 0xFF, 0xD9], Array("%PDF-1.7".utf8),
            Array("%PDF-9.7 %%EOF      ".utf8),
            Array(" %PDF-1.7\n1 0 obj\n%%EOF\n".utf8),
        ]
        for bytes in wrong { #expect(FileContent.kind(of: bytes) == nil, "\(bytes.prefix(20))") }
    }

    @Test func `a JPEG may contain the second picture that cameras add, and a PDF its later versions`() {
        #expect(FileContent.kind(of: Self.jpeg + Self.jpeg) == .jpeg)
        #expect(FileContent.kind(of: Self.pdf + Array("2 0 obj\nendobj\ntrailer\n%%EOF\n".utf8)) == .pdf)
        #expect(FileContent.kind(of: Self.png + Self.png) == nil)
    }

    @Test func `the pixels of a picture are those that its header names`() {
        #expect(FileContent.pixels(of: Self.png, .png) == 1)
        for (side, pixels) in [([0, 0, 0x2E, 0xE0], 144_000_000), ([255, 255, 255, 255], 1 << 62)] as [([UInt8], Int)] {
            let header = Self.chunk("IHDR", side + side + [8, 6, 0, 0, 0])
            let bytes = Self.signature + header + Self.chunk("IDAT", [1]) + Self.chunk("IEND")
            #expect(FileContent.kind(of: bytes) == .png)
            #expect(FileContent.pixels(of: bytes, .png) == pixels)
        }
        func frame(_ marker: UInt8, _ height: [UInt8], _ width: [UInt8]) -> [UInt8] {
            [0xFF, marker, 0, 11, 8] + height + width + [1, 1, 0x11, 0]
        }
        func jpeg(_ frames: [UInt8]) -> [UInt8] { [0xFF, 0xD8] + frames + [0xFF, 0xDA, 0, 2, 7, 0xFF, 0xD9] }
        for (bytes, pixels) in [
            (jpeg(frame(0xC0, [0x0F, 0xA0], [0x0B, 0xB8])), 12_000_000),
            (jpeg(frame(0xC2, [0, 1], [0, 1]) + frame(0xC5, [0, 20], [0, 30])), 600),
            (jpeg(frame(0xC1, [0, 0], [1, 0])), 65_535 * 256), (Self.jpeg, 0),
        ] {
            #expect(FileContent.kind(of: bytes) == .jpeg)
            #expect(FileContent.pixels(of: bytes, .jpeg) == pixels)
        }
        #expect(FileContent.pixels(of: Self.pdf, .pdf) == 0)
    }

    private static func svg(_ content: String, _ attributes: String = "") -> String {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \(attributes)>\(content)</svg>"
    }

    private static func circles(_ count: Int) -> String { String(repeating: "<circle r='1'/>", count: count) }

    /// Groups of which each draws the next one several times.
    private static func nested(_ depth: Int, uses: Int, attribute: String = "href") -> String {
        let groups = (0..<depth).map { level in
            "<g id='g\(level)'>" + String(repeating: "<use \(attribute)='#g\(level + 1)'/>", count: uses) + "</g>"
        }
        return svg(groups.joined() + "<circle id='g\(depth)' r='1'/>")
    }

    @Test(arguments: [
        svg(""), svg("<rect width=\"3\" height='4'/>"),
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- Logo -->\n" + svg("<g><path d=\"M0 0L1 1z\"/></g>") + "\n",
        "<?xml version='1.0' encoding='utf-8' standalone='no' ?>\r\n\t" + svg(""),
        "\u{FEFF}" + svg("<title>Cap &amp; Savoirs &#233;</title>"),
        svg("<defs><linearGradient id=\"a\"/></defs><rect fill=\"url(#a)\" style=\"stroke: url( '#a' )\"/>"),
        svg("<use href=\"#a\"/><use xlink:href=\"#a\"/>"),
        svg("<image href=\"data:image/png;base64,iVBORw0KGgo//8=\"/>"),
        svg("<style> .a > .b { fill: red } .c &gt; .d { fill: url(#e) } </style><style/><style></style>"),
        svg("<title><![CDATA[ a <b> // ]]><!-- c --></title>"),
        svg(
            "<inkscape:grid x=\"http://example.org\"/>",
            "xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\" inkscape:version=\"1 // 2\""),
        "<s:svg xmlns:s=\"http://www.w3.org/2000/svg\"><s:g/></s:svg>",
        svg("<use href='#image'/><image id='image' href='data:image/png;base64,AA=='/>"),
        nested(7, uses: 2),
        svg("<g id='a'>" + circles(90) + "</g>" + String(repeating: "<use href='#a'/>", count: 200)),
    ])
    func `a picture that draws itself alone is accepted`(text: String) {
        #expect(FileContent.kind(of: Array(text.utf8)) == .svg)
    }

    @Test(arguments: [
        "<svg/>", "<svg></svg>", "<html xmlns=\"http://www.w3.org/1999/xhtml\"/>", "text", svg("") + "x",
        svg("") + svg(""),
        svg("<g>"), svg("</g>"), svg("<g></svg>"), "<svg xmlns=\"http://www.w3.org/2000/svg\">",
        svg("<script>alert(1)</script>"), svg("<script href=\"#a\"/>"), svg("<SCRIPT/>"),
        svg("<foreignObject/>"), svg("<a href=\"#b\"/>"), svg("<animate attributeName=\"href\"/>"), svg("<set/>"),
        svg("<iframe/>"), svg("<feImage href=\"#a\"/>"),
        svg("", "onload=\"alert(1)\""), svg("<g OnClick='x'/>"), svg("<g xlink:onclick='x'/>"),
        svg("<image href=\"https://example.org/a.png\"/>"), svg("<image xlink:href=\"//example.org/a.png\"/>"),
        svg("<image href=\"a.png\"/>"), svg("<use href=\" #a\"/>"),
        svg("<use href=\"data:image/svg+xml;base64,PHN2Zz4=\"/>"), svg("<use href=\"data:text/html,x\"/>"),
        svg("<use href=\"&#106;avascript:alert(1)\"/>"), svg("<g fill=\"url(http://example.org/a)\"/>"),
        svg("<g style=\"fill:u\\72l(a)\"/>"), svg("<g style=\"fill: URL('a.svg#b')\"/>"), svg("<g fill=\"url()\"/>"),
        svg("<g fill='url(\u{301}a)'/>"), svg("<g fill='url( \u{A0}#a)'/>"), svg("<g style='a:url(#b);c:url(d)'/>"),
        svg("<style>@import 'a.css';</style>"), svg("<style><![CDATA[@import url(#a)]]></style>"),
        svg("<style>@im<!-- -->port 'h<!-- -->ttp:/<!-- -->/a'</style>"), svg("<style>a<!-- --></style>"),
        svg("<style>@im<![CDATA[port 'a']]></style>"), svg("<style><![CDATA[a{}]]></style>"),
        svg("<style>@im<g/>port 'a'</style>"), svg("<style>@im<metadata>x</metadata>port 'a'</style>"),
        svg("<style>a<?b c?></style>"), svg("") + "&#32;",
        "<s:svg xmlns:s='http://www.w3.org/2000/svg'><s:style>@import 'a'</s:style></s:svg>",
        svg("<style>a{}</style><style>@import 'a'</style>"), svg("<style>@import 'a'"),
        svg("<style>a{fill:&#117;rl(https:a)}</style>"), svg("<style>a{src:image-set('a')}</style>"),
        svg("<g xml:base=\"https://example.org/\"/>"), svg("<g href=\"&b;\"/>"), svg("<g a=1/>"),
        svg("<g a=\"1\"b=\"2\"/>"),
        svg("<h:script xmlns:h=\"http://www.w3.org/1999/xhtml\"/>"), svg("<h:script/>"),
        svg("<g xmlns=\"http://www.w3.org/1999/xhtml\"/>"),
        svg("<g xmlns:xlink=\"http://www.w3.org/2000/svg\"/>"),
        "<?xml version=\"1.0\" encoding=\"ISO-2022-JP\"?>" + svg(""),
        "<?xml version='1.0' encoding = 'utf-16'?>" + svg(""), "<?xml version=\"1.1\"?>" + svg(""),
        "<?xml version=\"1.0\"encoding=\"UTF-8\"?>" + svg(""), "<?xml encoding='UTF-8' charset='UTF-7'?>" + svg(""),
        "<?xml version=\"1.0\"", "<?xml encoding=UTF-8?>" + svg(""),
        svg("<title>\u{1B}$B</title>"), svg("<title>\u{0}</title>"), svg("<!--\u{0E}-->"), svg("<title>&#27;</title>"),
        "<?xml-stylesheet href=\"a.css\"?>" + svg(""), svg("<?php ?>"),
        "<!DOCTYPE svg [<!ENTITY a \"b\">]>" + svg("&a;"),
        svg(String(repeating: "<g>", count: 70) + String(repeating: "</g>", count: 70)),
        svg(String(repeating: "<use href='#a'/>", count: 201)),
        nested(20, uses: 2), nested(7, uses: 5), nested(20, uses: 1), nested(7, uses: 5, attribute: "xlink:href"),
        svg("<g id='a'>" + circles(110) + "</g>" + String(repeating: "<use href='#a'/>", count: 200)),
        svg("<g id='a'><use href='#a'/></g>"), svg("<use id='a' href='#b'/><use id='b' href='#a'/>"),
        svg("<g id='a'/><use href='#%61'/>"), svg("<g id='a'/><use href='#a '/>"),
        svg("<g id='a'/><use href='#&#9;a'/>"),
    ])
    func `a picture with scripts, links, references to elsewhere or what is not known is refused`(text: String) {
        #expect(FileContent.kind(of: Array(text.utf8)) == nil)
    }

    @Test func `an SVG of more than 512 KiB is too large, and a file of another format is not called so`() {
        let limit = 512 * 1_024
        let frame = Self.svg("").utf8.count
        let greatest = Array(Self.svg(String(repeating: " ", count: limit - frame)).utf8)
        #expect(!SVGContent.isTooLarge(greatest))
        #expect(FileContent.kind(of: greatest) == .svg)
        for text in [
            Self.svg(""), "\u{FEFF}\n<?xml version=\"1.0\"?><!-- a -->" + Self.svg(""),
            "<s:svg xmlns:s=\"http://www.w3.org/2000/svg\"/>",
        ] {
            #expect(SVGContent.isTooLarge(Array(text.utf8) + Array(repeating: 0x20, count: limit)), "\(text)")
        }
        for text in ["", "text <svg", "<html></html>", "%PDF-1.7 <svg"] {
            #expect(!SVGContent.isTooLarge(Array(text.utf8) + Array(repeating: 0x20, count: limit)), "\(text)")
        }
        #expect(FileService.Messages.largeSVG == "Donnez un SVG de 512\u{A0}Kio au plus.")
    }
}
