public import DomainKit

/// Shared gardens: gardeners with their plots, what they sow and harvest, and a greenhouse that one of them has at a time.
///
/// The tests of the server drive it: it has every concept of DomainKit once. A coordinator reaches every row, a gardener the
/// own ones.
public enum Probe {
    public static let domain = Domain(
        name: "probe", label: "Jardin", roles: [.coordinator, .gardener],
        entities: [
            gardeners, plots, crops, plantings, harvests, observations, presences, greenhouseBookings, seasons, yields,
            gardens,
        ],
        commands: [
            importCard, welcome, movePlot, inspectPlot, sow, harvest, notePresence, bookGreenhouse, currentSeason,
            openGarden,
        ],
        methods: [label], notices: [welcomeMail, ping], jobs: [release])

    /// The coordinator reaches every row, a gardener those with the own identifier.
    static let everyOrOwn: Grants = [.coordinator: .every, .gardener: .own("gardener_id")]
    static let everyRole: Grants = [.coordinator, .gardener]

    /// The column that says which gardener a row belongs to.
    static let owner = Column(
        "gardener_id", .bigint, nullable: false, access: .createOnly, label: "Jardinier", summary: "À qui c’est.")
    static let ownerRelation = Relation(
        "gardener", to: "gardeners", .toOne(column: "gardener_id"), label: "Jardinier", summary: "À qui c’est.")
}

extension Role {
    static let coordinator = Role("coordinator", label: "Coordinateur")
    static let gardener = Role("gardener", subject: "gardeners", label: "Jardinier")
}
