#if os(Linux)
    import CommandLineKit
    import Foundation
    import TestKit
    import Testing

    /// Threads of Dispatch block most signals: a server that was started from one would not hear its end.
    @Test(.ownThread) func aSpawnedProcess_blocksNoSignal_thoughItsParentsThreadDoes() throws {
        let scratch = ScratchFolder()
        let descriptor = open(try scratch.file("status", ""), O_WRONLY)
        var (all, former) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &former)
        let child = SpawnedProcess("/bin/grep", ["SigBlk", "/proc/self/status"], output: descriptor, errors: 2)
        pthread_sigmask(SIG_SETMASK, &former, nil)
        try #require(child).wait()
        close(descriptor)
        #expect(try String(contentsOfFile: scratch.path + "/status", encoding: .utf8) == "SigBlk:\t0000000000000000\n")
    }
#endif
