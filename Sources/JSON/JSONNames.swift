/// The names an object has so far: few are compared one by one, many are hashed.
struct JSONNames {
    private static let few = 16
    private var hashed: Set<String> = []

    /// False when `name` is there already. `members` are those inserted so far.
    mutating func insert(_ name: String, among members: [JSONObject.Member]) -> Bool {
        if members.count < Self.few { return !members.contains { $0.name == name } }
        if hashed.isEmpty { hashed = Set(members.lazy.map(\.name)) }
        return hashed.insert(name).inserted
    }
}
