@_exported import EventStreams
