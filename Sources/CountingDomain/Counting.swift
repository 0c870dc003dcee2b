public import DomainKit

/// People counters: devices at doors report who comes in and who goes out, through a gateway on the spot.
///
/// Every figure is a function of the stored entries and of the present settings of their location.
public enum Counting {
    /// The domain as the server serves it.
    public static let domain = Domain(
        name: "counting", label: "Comptage", roles: [.admin, .countingViewer, .countingDevice],
        entities: [
            locations, devices, entries, counterStates, counterSnapshots, counterKPIs, counterCharts, counterIssues,
        ],
        commands: [record, recordBatch, heartbeat, override, simulate, endDay, closeDays],
        jobs: [closeDaysEachMinute, foldDays])

    /// Who reads what is no device's own.
    static let readers: Grants = [.admin, .countingViewer]

    /// Records that only the service writes.
    static let readOnly = Access(read: readers, create: [], update: [], delete: [])
}

extension Role {
    /// Sees the figures of every location, and changes nothing.
    static let countingViewer = Role("counting_viewer", label: "Lecture du comptage")
    /// A device, usually by the access key that its gateway has.
    static let countingDevice = Role("counting_device", subject: "devices", label: "Compteur")
}
