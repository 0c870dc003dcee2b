/// The part of a token's header that decides. (jwt-kit's own type stops the process at a number past 64 bits.)
extension JSONWebToken {
    struct Header: Decodable {
        let alg: String
        let typ: String?
        let kid: String?
        /// Whether `crit` is there, with whatever value: no extension is understood here.
        let hasCritical: Bool

        private enum CodingKeys: String, CodingKey { case alg, typ, kid, crit }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            alg = try container.decode(String.self, forKey: .alg)
            typ = try container.decodeIfPresent(String.self, forKey: .typ)
            kid = try container.decodeIfPresent(String.self, forKey: .kid)
            hasCritical = container.contains(.crit)
        }
    }
}
