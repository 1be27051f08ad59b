import Testing

@testable import ClientCore

/// The bound of updates that a slow subscriber has not handled.
struct UpdateBacklogTests {
    @Test func readingPauses_atTheBound_andResumesAtHalfOfIt() {
        let backlog = UpdateBacklog(limit: 4)
        #expect((0..<3).allSatisfy { _ in !backlog.added() })
        #expect(backlog.added() && backlog.added())
        // Five wait: two are left when reading resumes, once.
        #expect(!backlog.handled() && !backlog.handled())
        #expect(backlog.handled() && !backlog.handled() && !backlog.handled())
        #expect(!backlog.added())
    }
}
