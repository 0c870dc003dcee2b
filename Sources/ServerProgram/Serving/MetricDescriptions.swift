import Observability

/// What each metric of the server means, as `/metrics` says it.
enum MetricDescriptions {
    static let all = [
        "learntrack_build_info": "Always 1; the version of the server is its label.",
        "process_resident_memory_bytes": "Memory of the process.",
        "process_cpu_seconds_total": "Processor time of the process.",
        "process_open_fds": "Open file descriptors of the process.",
        "process_start_time_seconds": "When the process started, in seconds since 1970.",

        "http_requests_total": "Requests by path and status.",
        "http_request_seconds": "Time from a complete request to its answer.",
        "http_received_bytes_total": "Bytes of the bodies of requests.",
        "http_sent_bytes_total": "Bytes of the bodies of answers.",
        "http_connections_open": "Open connections of clients.",
        "http_bytes_held": "Memory of large requests and answers.",
        "http_bytes_held_max": "The most memory that large requests and answers may take.",
        "http_refused_total": "Requests without room in memory, and connections that were closed for new ones.",

        "rpc_calls_total": "Calls by method and code of their error; code 0 is success.",
        "rpc_stage_seconds": "Time of the stages of calls, by method.",
        "work_waiting": "Work that waits for its turn: long computations, password hashes, documents.",

        "database_connections": "Open connections to the database, by pool and state.",
        "database_connections_max": "The most connections that a pool opens.",
        "database_calls_waiting": "Calls that wait for a connection.",
        "database_wait_seconds_total": "Time that calls have waited for a connection.",
        "database_placements_total": "Calls that were given to a connection, by what they need of it.",
        "database_second_runs_total": "Reads that ran again elsewhere, since another call kept them waiting.",
        "database_cancel_requests_total": "Requests to the database to cancel a statement.",
        "database_refused_total": "Calls that got no connection: too much of their account, or none free in time.",
        "database_events_total": "Events of the connections: opened, failed to open, lost, run again, notices.",
        "replica_lag_seconds": "How far a replica is behind.",
        "database_reads_total": "Reads by role and server.",
        "database_reads_repeated_total": "Reads that the primary answered because a replica had failed.",

        "tls_certificate_end_timestamp_seconds": "When the certificate that is served ends, in seconds since 1970.",

        "event_listeners": "Open streams of changes.",
        "event_lag_seconds": "How far the streams of changes are behind the database.",

        "outbox_sent_total": "Messages that have left.",
        "outbox_failed_total": "Attempts to send a message that have failed.",
        "outbox_given_up_total": "Messages that will not leave any more.",
        "outbox_repeated_total": "Messages that were sent again although they may have left before.",
        "outbox_unconfirmed_total": "Messages that may have left, which no answer confirms.",
        "outbox_waiting": "Messages of all instances that wait.",
        "outbox_blocked": "Messages of all instances that wait after a failure, by what the last one concerned.",
        "outbox_given_up": "Messages of all instances that were given up within thirty days and can be sent again.",
        "outbox_waiting_seconds": "How long the oldest message has waited.",

        "job_last_end_seconds": "When the last run of a job ended, in seconds since 1970.",
        "job_failures": "Runs of a job that have failed since one that succeeded.",
    ]
}
