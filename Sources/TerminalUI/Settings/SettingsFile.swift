import ClientCore

/// The settings of this device's user, in `config.json`.
public struct SettingsFile: Sendable {
    public typealias Failure = PrivateFile.Failure

    private let file: PrivateFile

    public init(folder: String) {
        // No file that a person writes is longer.
        file = PrivateFile(folder: folder, name: "config", byteLimit: 1 << 16)
    }

    /// `bjclient` in the user's folder for configuration, by the XDG base directory specification; nil without a home.
    public init?(environment: [String: String]) {
        guard let folder = PrivateFile.configurationFolder(environment) else { return nil }
        self.init(folder: folder)
    }

    public var path: String { file.path }

    /// The settings in the file, all others by default.
    public func settings() throws(Failure) -> ClientSettings {
        let document = try document()
        do throws(SettingsDocument.Fault) {
            return try document.settings
        } catch {
            throw failure(error)
        }
    }

    /// The settings that the file has a value for.
    public func fields() throws(Failure) -> Set<ClientSettings.Field> {
        let document = try document()
        return Set(ClientSettings.Field.allCases.filter(document.has))
    }

    /// Stores one setting durably and keeps all else; nil removes it.
    public func store(_ field: ClientSettings.Field, _ words: String?) throws(Failure) {
        try file.change { () throws(Failure) in
            var document = try document()
            document.set(field, to: words)
            try file.write(document.text)
        }
    }

    private func document() throws(Failure) -> SettingsDocument {
        guard let bytes = try file.read() else { return SettingsDocument() }
        do throws(SettingsDocument.Fault) {
            return try SettingsDocument(bytes)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ fault: SettingsDocument.Fault) -> Failure {
        Failure(description: "\(path): \(fault.description)", isContent: true)
    }
}
