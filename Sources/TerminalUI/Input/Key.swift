/// A key press.
enum Key: Hashable, Sendable {
    case character(Unicode.Scalar)
    case enter
    case backspace
    case tab
    case escape
    case up, down, left, right
    case home, end, pageUp, pageDown, insert, delete
    /// A letter `a`…`z` with the control key.
    case control(Unicode.Scalar)
    /// Pasted text, never a key: it may have control characters and line ends.
    case paste(String)
    /// An unknown sequence: a function key, a terminal report, invalid UTF-8.
    case unknown
}
