import CommandLineKit
import Foundation
import ServerCore
import Sockets

/// `bjserver install-files`: the files that a system keeps beside the program.
struct InstallOptions: Sendable {
    var folder = ""
    var prefix: String?
    var game = Endpoint(host: "127.0.0.1", port: 2121)
    var proxy = Endpoint(host: "127.0.0.1", port: 2122)
    var metrics = Endpoint(host: "127.0.0.1", port: 9121)
    var backends = ["server-1", "server-2", "server-3"]
    var prometheus = Endpoint(host: "127.0.0.1", port: 9090)

    static let command = Command<InstallOptions, ServerProgram>(
        "install-files", "Writes systemd units, manual page, completions, monitoring and TLS samples.",
        defaults: InstallOptions(), program: checked
    ) { command in
        command.discussion(
            """
            Writes these files below DIR: in 'lib/systemd/system' a hardened service and its socket; in 'share' the manual page and completions for bash, zsh \
            and fish; in 'share/bjserver' configurations for Prometheus with alerts, Grafana with a dashboard, HAProxy and stunnel for TLS, \
            HAProxy and Prometheus for several servers, and OpenSSH for 'ssh play@HOST'. Replaces existing files; creates no user and no \
            service. Says the fingerprint of this machine's SSH key, for players to compare.

            DIR is the final folder, such as /usr/local, unless --prefix names another one to which DIR is copied later. Units and \
            samples refer to programs and files below the prefix. Addresses in the samples are those of --game, --proxy, --metrics, --backend \
            and --prometheus.
            """)
        command.argument("DIR", \.folder, .folder, required: true, help: "The folder to write to.")
        command.option(
            "--prefix", \.prefix, .path, value: "DIR", help: "The final folder, as an absolute path. Default: DIR.")
        command.option(
            "--game", \.game, .endpoint(),
            help: "The server's --listen address, for stunnel and OpenSSH. With several servers, HAProxy's address.")
        command.option("--proxy", \.proxy, .endpoint(), help: "The server's --proxy-listen address, for HAProxy and stunnel.")
        command.option("--metrics", \.metrics, .endpoint(), help: "The server's --metrics address, for Prometheus.")
        command.option(
            "--backend", \.backends, .text(upTo: 255), value: "HOST",
            help: "Address or DNS name of one of several servers. Ports are those of --proxy and --metrics.")
        command.option("--prometheus", \.prometheus, .endpoint(), help: "The address of Prometheus, for Grafana.")
        command.example("bjserver install-files /usr/local", "files for a server in /usr/local/bin")
        command.example("bjserver install-files build/usr --prefix /usr", "files of a package")
        command.exitStatus(73, "A file or folder cannot be written.")
    }

    /// Units, shell and YAML would each quote other characters in a way of their own.
    private static func checked(_ options: InstallOptions) throws(UsageError) -> ServerProgram {
        let path = options.finalPrefix
        guard
            path.utf8.allSatisfy({
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-".utf8.contains($0)
            })
        else {
            throw UsageError("'\(path)' may contain only letters, digits and / . _ + -")
        }
        return .installFiles(options)
    }

    func run() -> Never {
        let files = InstalledFiles(self, prefix: finalPrefix).all
        for file in files {
            let path = "\(folder)/\(file.path)"
            do {
                let parent = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
                try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
                try Console.write(file.text, toFile: path)
            } catch {
                Console.fail(
                    "bjserver install-files", (error as? FileFault)?.description ?? "\(path): \(Console.reason(error))",
                    status: 73)
            }
            Console.print(path)
        }
        // Beside the list of files.
        if let text = try? Console.text(of: Self.hostKey, upTo: 1 << 16), let key = SSHKey(text) {
            Console.printError("Publish the key that players of 'ssh play@HOST' see: \(key.fingerprint) (ED25519)")
        }
        exit(0)
    }

    private static let hostKey = "/etc/ssh/ssh_host_ed25519_key.pub"

    private var finalPrefix: String {
        let path = prefix ?? folder
        let absolute = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        return absolute.count > 1 && absolute.hasSuffix("/") ? String(absolute.dropLast()) : absolute
    }
}

/// A text file below the prefix.
struct InstalledFile: Sendable, Equatable {
    let path: String
    let text: String
}

/// All files of `bjserver install-files`: resources with placeholders such as `@PREFIX@`, the manual page and completions.
struct InstalledFiles: Sendable {
    let options: InstallOptions
    /// Absolute.
    let prefix: String

    init(_ options: InstallOptions, prefix: String) { (self.options, self.prefix) = (options, prefix) }

    var all: [InstalledFile] {
        let command = ServerProgram.command
        let cluster = options.backends.map { Endpoint(host: $0, port: options.metrics.port) }
        let servers = options.backends.enumerated().map {
            "    server bjserver-\($0 + 1) \(Endpoint(host: $1, port: options.proxy.port))"
        }
        return [
            file("lib/systemd/system/bjserver.service", PackageResources.bjserver_service),
            file("lib/systemd/system/bjserver.socket", PackageResources.bjserver_socket),
            InstalledFile(path: "share/man/man1/bjserver.1", text: command.manualPage),
            InstalledFile(path: "share/bash-completion/completions/bjserver", text: command.completions(for: .bash)),
            InstalledFile(path: "share/zsh/site-functions/_bjserver", text: command.completions(for: .zsh)),
            InstalledFile(path: "share/fish/vendor_completions.d/bjserver.fish", text: command.completions(for: .fish)),
            sample("prometheus.yml", PackageResources.prometheus_yml, ["TARGETS": Self.quoted([options.metrics])]),
            // All servers of a house: alerts count its owners.
            sample("prometheus-cluster.yml", PackageResources.prometheus_yml, ["TARGETS": Self.quoted(cluster)]),
            sample("alerts.yml", PackageResources.alerts_yml),
            // Grafana reads these with GF_PATHS_PROVISIONING=PREFIX/share/bjserver/grafana.
            sample("grafana/datasources/bjserver.yml", PackageResources.datasource_yml),
            sample("grafana/dashboards/bjserver.yml", PackageResources.dashboards_yml),
            sample("grafana/dashboards/bjserver.json", PackageResources.dashboard_json),
            sample("haproxy.cfg", PackageResources.haproxy_cfg, lookup(of: [options.proxy.host])),
            sample(
                "haproxy-cluster.cfg", PackageResources.haproxy_cluster_cfg,
                lookup(of: options.backends).merging(["SERVERS": servers.joined(separator: "\n")]) { $1 }),
            sample("stunnel.conf", PackageResources.stunnel_conf),
            sample("stunnel-client.conf", PackageResources.stunnel_client_conf),
            sample("stunnel-database.conf", PackageResources.stunnel_database_conf),
            sample("sshd-play.conf", PackageResources.sshd_play_conf),
        ]
    }

    private static func quoted(_ servers: [Endpoint]) -> String { servers.map { "\"\($0)\"" }.joined(separator: ", ") }

    /// A container that starts again may have another address. By itself HAProxy looks a name up once, and ends if it has no address then.
    private func lookup(of hosts: [String]) -> [String: String] {
        let hasNames = hosts.contains { IPAddress($0) == nil && $0 != "localhost" }
        return [
            "RESOLVERS": hasNames ? String(decoding: PackageResources.resolvers_cfg, as: UTF8.self) : "",
            "LOOKUP": hasNames ? " resolvers names init-addr last,libc,none" : "",
        ]
    }

    private func sample(_ name: String, _ resource: [UInt8], _ values: [String: String] = [:]) -> InstalledFile {
        file("share/bjserver/\(name)", resource, values)
    }

    private func file(_ path: String, _ resource: [UInt8], _ values: [String: String] = [:]) -> InstalledFile {
        let own = [
            "PREFIX": prefix, "GAME": "\(options.game)", "BIND": "\(options.game.host):\(options.game.port)",
            "PROXY": "\(options.proxy)", "PROXY-PORT": "\(options.proxy.port)", "METRICS-PORT": "\(options.metrics.port)",
            "PROMETHEUS": "\(options.prometheus)",
        ]
        var text = String(decoding: resource, as: UTF8.self)
        for (name, value) in own.merging(values, uniquingKeysWith: { $1 }) { text = text.replacing("@\(name)@", with: value) }
        return InstalledFile(path: path, text: text)
    }
}
