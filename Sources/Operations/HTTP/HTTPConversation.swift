/// One connection's requests and answers, without input or output: bytes in, bytes out, and when to close.
public struct HTTPConversation: Sendable {
    /// What to do after bytes were taken in.
    public struct Step: Sendable, Equatable {
        /// To be sent, perhaps empty.
        public var output: [UInt8] = []
        /// Whether to close once it is sent.
        public var closes = false
    }

    /// The most requests of one connection.
    public static let requestLimit = 100
    /// The most requests that are answered at once: who sends more without reading the answers is answered that many, and no more.
    public static let pipelineLimit = 8

    private var parser = HTTPRequestParser()
    private var requests = 0
    private var isOver = false

    public init() {}

    /// Whether a request has begun that is not complete: its time is limited.
    public var isInRequest: Bool { parser.isInRequest }

    /// Takes bytes in and answers the requests that they complete.
    public mutating func receive(_ bytes: some Collection<UInt8>, respond: (HTTPRequest) -> HTTPResponse) -> Step {
        var step = Step()
        guard !isOver else { return step }
        parser.append(bytes)
        do throws(HTTPRefusal) {
            var answered = 0
            while let request = try parser.next() {
                answered += 1
                requests += 1
                let isLast = answered == Self.pipelineLimit || requests == Self.requestLimit || !request.keepsAlive
                step.output += respond(request).encoded(hasBody: request.method != "HEAD", keepsAlive: !isLast)
                guard !isLast else {
                    close(&step)
                    return step
                }
            }
        } catch {
            refuse(error, &step)
        }
        return step
    }

    /// The time for a request is over.
    public mutating func timeIsUp() -> Step {
        var step = Step()
        guard !isOver else { return step }
        // Between two requests nobody waits for an answer.
        if parser.isInRequest { refuse(.requestTimeout, &step) } else { close(&step) }
        return step
    }

    private mutating func refuse(_ refusal: HTTPRefusal, _ step: inout Step) {
        step.output += HTTPResponse(refusal).encoded(hasBody: true, keepsAlive: false)
        close(&step)
    }

    private mutating func close(_ step: inout Step) {
        step.closes = true
        isOver = true
        parser = HTTPRequestParser()
    }
}
