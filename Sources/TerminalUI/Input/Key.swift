/// A key that was pressed.
public enum Key: Hashable, Sendable {
    case character(Unicode.Scalar)
    case enter
    case backspace
    case tab
    case escape
    case up, down, left, right
    case home, end, pageUp, pageDown, insert, delete
    /// A letter `a`…`z` with the control key.
    case control(Unicode.Scalar)
    /// A sequence that means nothing here: a function key, a report of the terminal, a byte that is no UTF-8.
    case unknown
}
