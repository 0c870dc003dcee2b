public import DomainKit

/// LearnTrack itself: the sessions of a training organisation and the people they are planned with.
public enum CRM {
    public static let domain = Domain(
        name: "crm",
        entities: [sessions, formateurs, clients, ecoles, users],
        methods: [shareMethod])
}
