import CLibPQ

extension Connection {
    func startSimpleQuery(_ request: PoolRequest, _ now: ContinuousClock.Instant) {
        prepareToSend(request)
        guard case .simpleQuery(_, let sql) = request.operation, PQexitPipelineMode(raw) == 1,
            PQsendQuery(raw, sql) == 1
        else { return lose(libpq.errorMessage) }
        noteActivity(now)
        _ = flush()
    }

    func receiveSimpleQueryResults(isAlive: Bool, _ now: ContinuousClock.Instant) {
        noteActivity(now)
        let isDrainable = !isAlive && PQstatus(raw) == CONNECTION_BAD
        while let request = exclusiveRequest, isDrainable || PQisBusy(raw) == 0 {
            guard let result = PQgetResult(raw) else { return endExclusiveRequest(request.result.failure) }
            let status = PQresultStatus(result)
            if status == PGRES_FATAL_ERROR {
                let fields = ServerFields(result)
                if fields.sqlState.isEmpty { lose(fields.message) }
                if request.result.failure == nil {
                    request.result.failure = PostgresError(.server, server: fields, isRetrySafe: false)
                }
            }
            PQclear(result)
            if status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH {
                failWithProtocolViolation("COPY is not possible in a simple query")
            }
        }
    }
}
