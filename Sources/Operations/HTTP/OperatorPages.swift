/// The operator's pages: metrics, liveness, readiness.
public struct OperatorPages: Sendable {
    /// Renders the metrics page.
    public let metrics: @Sendable () -> String
    /// nil when ready for players, else the reason in a word: `draining`.
    public let unreadiness: @Sendable () -> String?

    public init(metrics: @escaping @Sendable () -> String, unreadiness: @escaping @Sendable () -> String?) {
        self.metrics = metrics
        self.unreadiness = unreadiness
    }

    func response(to request: HTTPRequest) -> HTTPResponse {
        guard ["/metrics", "/livez", "/readyz"].contains(request.path) else {
            return HTTPResponse(status: 404, body: "not found\n")
        }
        guard request.method == "GET" || request.method == "HEAD" else {
            var response = HTTPResponse(status: 405, body: "only GET and HEAD\n")
            response.fields = [("Allow", "GET, HEAD")]
            return response
        }
        switch request.path {
        case "/metrics": return HTTPResponse(contentType: MetricsRegistry.contentType, body: metrics())
        case "/readyz":
            guard let reason = unreadiness() else { return HTTPResponse(body: "ok\n") }
            return HTTPResponse(status: 503, body: "\(reason)\n")
        default: return HTTPResponse(body: "ok\n")
        }
    }
}
