/// The settings as a list.
extension Screen {
    func settings(_ height: Int) -> [StyledText] {
        let path: SafeText = view.settingsPath.map { " Settings, kept in \($0)" } ?? " Settings of this session"
        let rows = ClientSettings.Field.allCases.map(settingsLine)
        // The end of the notice is the reason.
        let notice = view.settingsNotice.map { Array($0.wrapped(to: size.columns - 2).suffix(max(1, height / 2))) } ?? [""]
        let room = max(1, height - 1 - notice.count)
        let top = min(max(0, view.settingsRow - room / 2), max(0, rows.count - room))
        let lines = [StyledText(path, .bold)] + notice.map { StyledText(" \($0)", .yellow) } + rows.dropFirst(top)
        return lines.prefix(height).map { $0.cut(to: size.columns) }
    }

    private func settingsLine(_ field: ClientSettings.Field) -> StyledText {
        let isSelected = field == view.settingsField
        let style: Style = isSelected ? [.bold, .inverse] : .plain
        var line = StyledText(isSelected ? " ▶ " : "   ", style)
        line.append(StyledText("\(field.rawValue)", style).fitted(to: 10, filler: style))
        let words: SafeText = view.settings.words(of: field).map { "\($0)" } ?? "none"
        line.append(StyledText(words, style).fitted(to: 16, filler: style))
        if !isNarrow { line.append("\(field.meaning)", isSelected ? style : .dim) }
        return line
    }
}
