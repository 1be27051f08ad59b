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
    /// A press of the left button on a cell, from 0.
    case click(column: Int, row: Int)
    case wheelUp, wheelDown
    /// Pasted text, never a key: it may have control characters and line ends.
    case paste(String)
    /// The terminal's answer about a private mode: no key.
    case report(mode: Int, state: Int)
    /// An unknown sequence: a function key, another report, invalid UTF-8.
    case unknown
}

extension Key {
    /// The key that a turn of the wheel stands for; nil for none.
    /// - Parameter isAtTable: whether the table is shown: there the wheel opens the log.
    func asKey(isAtTable: Bool) -> Key? {
        switch self {
        case .wheelUp: isAtTable ? .pageUp : .up
        case .wheelDown: isAtTable ? nil : .down
        default: self
        }
    }
}
