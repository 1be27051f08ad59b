import EventStreams
import Foundation

// Foundation's coders already have the required methods.
#if !canImport(Combine)
    extension JSONDecoder: TopLevelDecoder {}
    extension JSONEncoder: TopLevelEncoder {}
    extension PropertyListDecoder: TopLevelDecoder {}
    extension PropertyListEncoder: TopLevelEncoder {}
#else
    extension JSONDecoder: EventStreams.TopLevelDecoder {}
    extension JSONEncoder: EventStreams.TopLevelEncoder {}
    extension PropertyListDecoder: EventStreams.TopLevelDecoder {}
    extension PropertyListEncoder: EventStreams.TopLevelEncoder {}
#endif
