/// One HTTP connection as a value: bytes in, bytes out, and when to close. No I/O.
struct HTTPConversation: Sendable {
    /// The actions after received bytes.
    struct Step: Sendable, Equatable {
        /// Bytes to send, possibly none.
        var output: [UInt8] = []
        /// True to close after sending.
        var closes = false
    }

    /// Requests per connection.
    static let requestLimit = 100
    /// Pipelined requests answered at once: bounds the output for a peer that does not read.
    static let pipelineLimit = 8

    private var parser = HTTPRequestParser()
    private var requests = 0
    private var isOver = false

    init() {}

    /// True within a request: its deadline runs.
    var isInRequest: Bool { parser.isInRequest }

    /// Receives bytes and answers complete requests.
    mutating func receive(_ bytes: some Collection<UInt8>, respond: (HTTPRequest) -> HTTPResponse) -> Step {
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

    /// The request's deadline has passed.
    mutating func timeIsUp() -> Step {
        var step = Step()
        guard !isOver else { return step }
        // An idle connection closes without an answer.
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
