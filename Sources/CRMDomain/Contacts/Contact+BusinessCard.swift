import DomainKit

extension Contact {
    /// What the text of a business card says, a line after the other.
    init(businessCard text: String) {
        self.init()
        var rest: [BusinessCardLine] = []
        var towns: [String] = []
        for line in text.split(whereSeparator: \.isNewline).map(\.trimmed) where !line.isEmpty {
            if readNumbers(of: line) { continue }
            // A town or a name may stand before a telephone number or after it.
            let besides = readReach(line)
            for (index, text) in (besides ?? [line]).enumerated() {
                if besides != nil, !text.contains(where: \.isLetter) { continue }
                if readPlace(text) { continue }
                let part = BusinessCardLine(text)
                if index > 0, part.mayBeTown { towns.append(text) } else { rest.append(part) }
            }
        }
        // The company before the person, because its name may look like one.
        if let index = rest.firstIndex(where: { BusinessCardLine.namesCompany($0.text) }) {
            company = rest.remove(at: index).text
        }
        if let index = rest.firstIndex(where: \.namesRole) { role = rest.remove(at: index).text }
        if let index = rest.firstIndex(where: \.hasTitle) ?? rest.firstIndex(where: \.looksLikeName) {
            (givenName, familyName) = BusinessCardLine.name(rest.remove(at: index).text)
        }
        if company == nil, let index = rest.firstIndex(where: \.looksLikeCompany) {
            company = rest.remove(at: index).text
        }
        for line in rest { noteNotUnderstood(line.text) }
        for text in towns where text != town {
            if town == nil { town = text } else { noteNotUnderstood(text) }
        }
    }

    /// Reads the numbers of a company in a line: SIRET, VAT, and that of a training organisation. Returns whether it has one.
    mutating func readNumbers(of line: String) -> Bool {
        let words = line.split { $0.isWhitespace || ":;,|".contains($0) }
        var found = false
        if siret == nil, let number = Self.run(in: words, of: 14, where: Format.siret.accepts) {
            siret = number
            found = true
        }
        if vatNumber == nil, let number = Self.vatNumber(in: words) {
            vatNumber = number
            found = true
        }
        let folded = line.lowercased()
        if nda == nil, folded.contains("nda") || folded.contains("activité") || folded.contains("activite"),
            let number = Self.run(in: words, of: 11, where: Format.nda.accepts)
        {
            nda = number
            found = true
        }
        return found
    }

    /// A number of so many digits in words that follow each other.
    private static func run(
        in words: [Substring], of count: Int, where accepts: (String) -> Bool
    ) -> String? {
        for start in words.indices {
            var digits = ""
            for word in words[start...] {
                let word = word.filter { $0 != "." }
                guard word.utf8.allSatisfy(\.isDigit), digits.count + word.count <= count else { break }
                digits += word
                if digits.count == count, accepts(digits) { return digits }
            }
        }
        return nil
    }

    private static func vatNumber(in words: [Substring]) -> String? {
        for start in words.indices {
            var number = ""
            for word in words[start...].prefix(6) {
                number += word.filter { $0 != "." }.uppercased()
                // A shorter number is a part of a longer one, or a word such as « BE0 ».
                if number.utf8.count >= 10, Format.intraCommunityVAT.accepts(number) { return number }
            }
        }
        return nil
    }

    /// Reads e-mail addresses and telephone numbers. Returns the texts before, between and after them, without their labels; nil if
    /// the line has none.
    private mutating func readReach(_ line: String) -> [String]? {
        var found = false
        var besides = line
        let addresses = line.split { $0.isWhitespace || ":;,|<>()".contains($0) }.filter { $0.contains("@") }.map(
            String.init)
        for address in addresses {
            let plain = address.lowercased().hasPrefix("mailto") ? String(address.dropFirst(6)) : address
            if Format.email.accepts(plain) {
                emails.append(plain)
                besides = besides.replacing(address, with: " \(BusinessCardReach.mark) ")
                found = true
            }
        }
        if line.lowercased().hasPrefix("fax") { return found ? [""] : nil }
        for run in Self.phoneRuns(in: line) {
            if let phone = phoneNumber(run) {
                phones.append(phone)
                besides = besides.replacing(run, with: " \(BusinessCardReach.mark) ")
                found = true
                continue
            }
            for part in run.split(separator: "/").map(String.init) + [] {
                if let phone = phoneNumber(part) {
                    phones.append(phone)
                    besides = besides.replacing(part, with: " \(BusinessCardReach.mark) ")
                    found = true
                }
            }
        }
        return found ? BusinessCardReach.texts(in: besides).map(Self.withoutSigns) : nil
    }

    /// The stretches of a line that consist of what telephone numbers consist of, without what follows the word fax.
    private static func phoneRuns(in line: String) -> [String] {
        var runs: [String] = []
        var run = ""
        var word = ""
        var label = ""
        for character in line + "\n" {
            let isPart =
                character.isASCII && character.isNumber || "+().-/".contains(character)
                || !character.isNewline && character.isWhitespace
            if isPart {
                run.append(character)
                if !word.isEmpty {
                    label = word.lowercased()
                    word = ""
                }
            } else {
                if character.isLetter { word.append(character) }
                if run.contains(where: \.isNumber), !label.hasPrefix("fax") {
                    runs.append(trimmedRun(run))
                }
                run = ""
            }
        }
        return runs
    }

    /// A number begins with a digit, `+` or `(`, and ends with a digit.
    private static func trimmedRun(_ run: String) -> String {
        var run = Substring(run).drop { !($0.isNumber || $0 == "+" || $0 == "(") }
        while let last = run.last, !last.isNumber { run.removeLast() }
        return String(run)
    }

    /// Reads a street, or a postcode with a town, or both. Returns whether the line is an address.
    private mutating func readPlace(_ line: String) -> Bool {
        let words = line.split(separator: " ")
        if postalCode == nil,
            let index = words.indices.last(where: { index in
                let word = words[index].drop { !$0.isNumber }
                let prefix = words[index].dropLast(word.count)
                return word.utf8.count == 5 && word.utf8.allSatisfy(\.isDigit) && ["", "F-", "FR-"].contains(prefix)
                    && index + 1 < words.endIndex && words[index + 1].first?.isLetter == true
            })
        {
            postalCode = String(words[index].suffix(5))
            let place = words[(index + 1)...].joined(separator: " ").split(separator: ",", maxSplits: 1).map(\.trimmed)
            town = place.first.map { Self.withoutSigns($0) }
            if place.count > 1 { noteNotUnderstood(place[1]) }
            let before = Self.withoutSigns(words[..<index].joined(separator: " "))
            if !before.isEmpty { street = [street, before].compactMap(\.self).joined(separator: ", ") }
            return true
        }
        if BusinessCardLine(line).namesStreet {
            street = [street, Self.withoutSigns(line)].compactMap(\.self).joined(separator: ", ")
            return true
        }
        return false
    }

    /// A text without the commas, hyphens, bars and bullets at its ends that separate it from the next.
    private static func withoutSigns(_ text: String) -> String {
        var text = Substring(text)
        while let last = text.last, " ,-–—|•·;".contains(last) { text.removeLast() }
        return String(text.drop { " ,-–—|•·;".contains($0) })
    }
}
