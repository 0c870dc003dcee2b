public import DomainKit

/// The jobs of the served domains: when each runs, and what became of its last run.
///
/// The server runs them by itself. This domain makes the table readable, and runs one at once.
public enum ScheduledJobs {
    /// The domain as the server serves it; nil for an installation without jobs.
    public static func domain(of jobs: [Job]) -> Domain? {
        guard !jobs.isEmpty else { return nil }
        return Domain(
            name: "scheduled_jobs", label: "Tâches planifiées", schema: "kernel", roles: [.admin, .user],
            entities: [entity(of: jobs)], commands: [runNow])
    }

    /// One record for each job. Those of domains that are not served any more stay, and do not run.
    private static func entity(of jobs: [Job]) -> Entity {
        Entity(
            name: "jobs", rows: .ofInstallation,
            noun: Noun("tâche planifiée", plural: "tâches planifiées", feminine: true),
            columns: [
                .id,
                Column(
                    "name", .choice(Choices(jobs.map { (word: $0.name, label: $0.label ?? $0.name) })),
                    nullable: false, access: .readOnly, label: "Tâche", summary: "Ce que fait la tâche."),
                Column(
                    "schedule", .text(maxLength: nil), nullable: false, access: .readOnly, label: "Horaire",
                    summary:
                        "`every 60`\u{202F}: 60 secondes après la fin de la dernière fois\u{202F}; `daily 7:30`\u{202F}: chaque"
                        + " jour à cette heure du service."),
                Column(
                    "next_at", .timestamp, nullable: false, access: .readOnly, label: "Prochaine fois",
                    summary: "Quand elle est due."),
                Column(
                    "last_started_at", .timestamp, access: .readOnly, label: "Dernier début",
                    summary: "Quand la dernière fois qui est finie a commencé."),
                Column(
                    "last_ended_at", .timestamp, access: .readOnly, label: "Dernière fin",
                    summary: "Quand elle a fini."),
                Column(
                    "last_error", .text(maxLength: nil), access: .readOnly, label: "Dernière erreur",
                    summary: "Pourquoi la dernière fois a échoué\u{202F}; null si elle a réussi."),
                Column(
                    "failures", .integer, nullable: false, access: .readOnly, label: "Échecs",
                    summary: "Combien de fois elle a échoué depuis la dernière réussite."),
            ],
            search: nil,
            defaultOrder: [OrderTerm("id")],
            access: Access(read: [.admin], create: [], update: [], delete: []),
            isInFeed: false)
    }

    /// Makes a job due.
    private static let runNow = Command(
        name: "jobs.run", label: "Lancer maintenant",
        summary: "Rend une tâche due\u{202F}: le serveur la lance dans les secondes qui suivent.",
        parameters: [Column("id", .bigint, nullable: false, of: "jobs", label: "Tâche", summary: "La tâche.")],
        function: "kernel.job_run", answers: .record(of: "jobs"), roles: [.admin],
        rules: [
            Rule(
                constraint: "jobs_running", columns: ["id"], message: Messages.jobRuns,
                effect: .conflict(reason: "running"), holds: nil)
        ])
}
