import Operations

// Types of this module's logging interface.
public typealias LogLevel = Operations.LogLevel
public typealias LogField = Operations.LogField
public typealias LogLine = Operations.LogLine
