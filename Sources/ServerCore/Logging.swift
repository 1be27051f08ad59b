import Operations

// What a server logs is said in these; they are part of its interface.
public typealias LogLevel = Operations.LogLevel
public typealias LogField = Operations.LogField
public typealias LogLine = Operations.LogLine
