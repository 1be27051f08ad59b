import Testing

@testable import Wire

struct PedanticTests {
    private func pedantic(_ line: String) -> Request {
        Array(line.utf8).withUnsafeBufferPointer { Request(line: $0, isPedantic: true) }
    }

    @Test func everyRequest_isTakenFromAPedanticConnection_withAllOfItsFields() {
        for sample in Samples.requests { #expect(pedantic(text(Array(sample.encoded().dropLast()))) == sample) }
    }

    @Test func aFieldThatARequestDoesNotHave_isRefusedOnAPedanticConnection_andIgnoredOnAnother() {
        for sample in Samples.requests {
            let line = text(Array(sample.encoded().dropLast(2)))
            let result = pedantic(line + ",\"nmae\":1}")
            #expect(result.message == .failure(.unknownField("nmae", of: sample.type ?? "")) && result.id == sample.id)
            #expect(request(line + ",\"nmae\":1}") == sample)
        }
    }

    @Test func whatOneRequestHas_isNoFieldOfAnother() {
        let fields = Set(Catalog.requests.flatMap { $0.fields.map(\.name) })
        for sample in Samples.requests {
            let own = Catalog.request(sample.type ?? "")?.fields.map(\.name) ?? []
            for field in fields.subtracting(own) {
                let line = text(Array(sample.encoded().dropLast(2))) + ",\"\(field)\":null}"
                #expect(pedantic(line).message == .failure(.unknownField(field, of: sample.type ?? "")))
            }
        }
    }
}
