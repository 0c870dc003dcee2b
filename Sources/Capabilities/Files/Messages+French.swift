import DomainKit

/// The French messages of files. Their typography is that of the kernel’s.
extension FileService {
    enum Messages {
        static let unknownKind =
            "Donnez un fichier PNG, JPEG, PDF ou SVG\u{202F}; un SVG sans script ni référence extérieure."
        static let largeSVG = "Donnez un SVG de \(SVGContent.maxBytes >> 10)\u{A0}Kio au plus."
        static let manyPixels = "Donnez une image de \(FileKind.maxPixels / 1_000_000)\u{A0}millions de pixels au plus."
        static let costlyPicture = "Cette image est trop longue à dessiner\u{202F}: donnez-la en plus petit."
        static let costlyDrawing =
            "Cette image est trop longue à dessiner\u{202F}: simplifiez ses tracés, ou donnez-la en PNG."
        static let damagedPicture =
            "Cette image est abîmée\u{202F}: ouvrez-la dans un logiciel d’images et enregistrez-la à nouveau."
    }
}
