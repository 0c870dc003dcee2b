extension Method {
    /// `rpc.discover`: what this service is, for whoever asks.
    static func discovery(of document: OpenRPCDocument) -> Method {
        Method(
            name: "rpc.discover", summary: "Le document OpenRPC qui décrit ce service.", rights: .anyone,
            parameters: [], result: .document
        ) { (_, _) throws(CallFailure) in
            .account { _ throws(ExecutionFault) in .text(document.bytes) }
        }
    }
}
