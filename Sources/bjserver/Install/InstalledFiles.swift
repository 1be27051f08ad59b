import CommandLineKit
import Sockets

extension InstalledFiles {
    /// - Parameter servers: all of a house: alerts count its owners.
    static func prometheus(_ servers: [Endpoint]) -> String {
        """
        global:
          scrape_interval: 10s
          evaluation_interval: 10s
        rule_files: [alerts.yml]
        scrape_configs:
          - job_name: bjserver
            static_configs:
              - targets: [\(servers.map { "\"\($0)\"" }.joined(separator: ", "))]

        """
    }

    /// Grafana reads it with GF_PATHS_PROVISIONING=PREFIX/share/bjserver/grafana.
    var dataSource: String {
        """
        apiVersion: 1
        datasources:
          - name: bjserver
            uid: bjserver
            type: prometheus
            access: proxy
            url: http://\(options.prometheus)
            isDefault: true
            editable: false

        """
    }

    var dashboardProvider: String {
        """
        apiVersion: 1
        providers:
          - name: bjserver
            type: file
            options:
              path: \(prefix)/\(Self.samples)/grafana/dashboards

        """
    }

    // MARK: Network

    /// TLS on port 2142, PROXY protocol version 2 to the server, which so logs and limits the player's own address.
    var haproxy: String {
        """
        # TLS in front of bjserver: start it with --proxy-listen \(options.proxy), and put certificate and key into one file.
        global
            maxconn 8192
            ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets
        \(Self.haproxyProcess)

        defaults
            mode tcp
            log global
            option tcplog
            timeout connect 5s
            # Longer than the server's 15 minutes: it decides who is idle.
            timeout client 30m
            timeout server 30m
        \(lookup(of: [options.proxy.host]).section)
        frontend players
            bind :2142 ssl crt /etc/bjserver/tls.pem
            default_backend tables

        backend tables
            server bjserver \(options.proxy) send-proxy-v2\(lookup(of: [options.proxy.host]).words)

        """
    }

    /// Several servers of one database behind one address: players reach any owner of a partition, which relays them where they play. `/readyz`
    /// tells within a second; a server that is not ready loses its connections, and its players come back to another one.
    var haproxyCluster: String {
        let servers = options.backends.enumerated().map { index, host in
            "    server bjserver-\(index + 1) \(Endpoint(host: host, port: options.proxy.port))"
        }
        let lookup = lookup(of: options.backends)
        return """
            # Several servers of one database: start each with --data postgres://…, --proxy-listen HOST:\(options.proxy.port), --proxy-trust for
            # this machine and the other servers, and --metrics :\(options.metrics.port), which nobody else should reach. A server is ready
            # if it owns a partition; players may reach any that is.
            global
                maxconn 8192
            \(Self.haproxyProcess)

            defaults
                mode tcp
                log global
                option tcplog
                timeout connect 1s
                timeout check 500ms
                # Longer than the server's 15 minutes: it decides who is idle.
                timeout client 30m
                timeout server 30m
                # Without an owner a connection is closed at once: players' clients try again by themselves.
                retries 0
            \(lookup.section)
            frontend players
                bind \(options.game.host.isEmpty ? "" : options.game.host):\(options.game.port)
                default_backend owners

            backend owners
                balance leastconn
                option httpchk GET /readyz
                http-check expect status 200
                default-server check port \(options.metrics.port) inter 200ms fall 2 rise 1 send-proxy-v2 on-marked-down shutdown-sessions\(lookup.words)
            \(servers.joined(separator: "\n"))

            """
    }

    /// As the packages of distributions have it: started as root, HAProxy gives up its rights.
    private static let haproxyProcess = """
            # HAPROXY_ROOTLESS=1 in the environment is for one that does not start as root, as in a container.
            .if defined(HAPROXY_ROOTLESS)
            log stdout format raw local0
            .else
            log /dev/log local0
            user haproxy
            group haproxy
            chroot /var/lib/haproxy
            .endif
        """

    /// A container that starts again may have another address. By itself HAProxy looks a name up once, and ends if it has no address then.
    private func lookup(of hosts: [String]) -> (section: String, words: String) {
        guard hosts.contains(where: { IPAddress($0) == nil && $0 != "localhost" }) else { return ("", "") }
        let section = """

            # Looks the servers' names up again and again, in the DNS alone: instead of a name of /etc/hosts, write the address.
            resolvers names
                parse-resolv-conf
                # While the DNS does not answer, the last addresses hold.
                hold timeout 24h
                hold refused 24h

            """
        return (section, " resolvers names init-addr last,libc,none")
    }

    /// The same by stunnel, which speaks version 1 of the PROXY protocol.
    var stunnel: String {
        """
        ; TLS in front of bjserver: start it with --proxy-listen \(options.proxy).
        ; Put certificate and key into one file.
        foreground = yes
        pid =
        syslog = no

        [bjserver]
        accept = 2142
        connect = \(options.proxy)
        protocol = proxy
        cert = /etc/bjserver/tls.pem
        sslVersionMin = TLSv1.2
        TIMEOUTidle = 1800

        """
    }

    /// For a player: bjclient 127.0.0.1:2121 then reaches the server through TLS.
    static let stunnelClient = """
        ; A player's side of TLS: replace example.org, run stunnel with this file, then bjclient 127.0.0.1:2121.
        foreground = yes
        pid =
        syslog = no

        [bjserver]
        client = yes
        accept = 127.0.0.1:2121
        connect = example.org:2142
        verifyChain = yes
        CApath = /etc/ssl/certs
        checkHost = example.org
        sni = example.org

        """

    /// A server's side of TLS to its database.
    static let stunnelDatabase = """
        ; TLS from bjserver to PostgreSQL: replace db.example.org and the authority, run stunnel with this file beside each server, then
        ; bjserver --data 'postgres://bj@127.0.0.1:5433/bj?require_auth=scram-sha-256'.
        foreground = yes
        pid =
        syslog = no

        [postgres]
        client = yes
        protocol = pgsql
        accept = 127.0.0.1:5433
        connect = db.example.org:5432
        verifyChain = yes
        CAfile = /etc/bjserver/database-ca.pem
        checkHost = db.example.org
        sslVersionMin = TLSv1.2

        """

    /// `ssh play@HOST` opens the client and nothing else: no shell, no forwarding, no files.
    var ssh: String {
        """
        # A public game by 'ssh play@HOST'. Copy to /etc/ssh/sshd_config.d/ and make an account without a password:
        #   useradd --create-home --shell /bin/sh play && passwd --delete play
        # No account is kept, since all players have the same home folder. They come from this machine: --trust none limits them, too.
        Match User play
            ForceCommand \(prefix)/bin/bjclient \(options.game) --guest
            AuthenticationMethods any
            PasswordAuthentication yes
            PermitEmptyPasswords yes
            PermitTTY yes
            PermitUserRC no
            DisableForwarding yes
            X11Forwarding no
            AllowAgentForwarding no
            AllowTcpForwarding no
            AllowStreamLocalForwarding no
            PermitTunnel no
            MaxSessions 1
            ClientAliveInterval 30

        """
    }

    // MARK: Systemd

    /// The unit. `systemd-analyze security --offline=yes` rates its exposure at most 1.5; `.ci/install` checks it.
    var service: String {
        """
        [Unit]
        Description=Blackjack tables over TCP
        Documentation=man:bjserver(1)
        After=network-online.target
        Wants=network-online.target
        # Waits for what is away, however long.
        StartLimitIntervalSec=0

        [Service]
        Type=notify
        # BJ_LISTEN, BJ_BOTS, BJ_CONFIG and so on: one variable for each setting of bjserver(1).
        EnvironmentFile=-/etc/default/bjserver
        Environment=BJ_ADMIN=/run/bjserver/admin.sock
        ExecStart=\(prefix)/bin/bjserver
        # SIGTERM keeps hands and takes a second; with BJ_DATA=none it plays them to their end: BJ_DRAIN_TIMEOUT, 1 minute.
        TimeoutStopSec=90
        TimeoutStartSec=300
        WatchdogSec=30
        Restart=on-failure
        RestartSec=1
        # Up to half a minute, from systemd 254 on.
        RestartSteps=5
        RestartMaxDelaySec=30
        # A wrong configuration, data that are damaged, missing or not to be made, and a refused user wait for a person.
        RestartPreventExitStatus=64 65 66 73 77

        # Accounts, chips and hands are in /var/lib/bjserver: STATE_DIRECTORY.
        DynamicUser=yes
        StateDirectory=bjserver
        StateDirectoryMode=0700
        RuntimeDirectory=bjserver
        RuntimeDirectoryMode=0700
        UMask=0077
        LimitNOFILE=65536
        MemoryMax=2G
        TasksMax=256

        NoNewPrivileges=yes
        CapabilityBoundingSet=
        AmbientCapabilities=
        ProtectSystem=strict
        ProtectHome=yes
        PrivateTmp=yes
        PrivateDevices=yes
        PrivateUsers=yes
        ProtectProc=invisible
        ProcSubset=pid
        ProtectClock=yes
        ProtectHostname=yes
        ProtectControlGroups=yes
        ProtectKernelLogs=yes
        ProtectKernelModules=yes
        ProtectKernelTunables=yes
        LockPersonality=yes
        MemoryDenyWriteExecute=yes
        RemoveIPC=yes
        RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        DevicePolicy=closed
        KeyringMode=private
        SystemCallArchitectures=native
        SystemCallFilter=@system-service
        SystemCallFilter=~@privileged @resources
        SystemCallErrorNumber=EPERM

        [Install]
        WantedBy=multi-user.target

        """
    }

    /// Keeps the port open while the service restarts. Without it the service opens its own sockets.
    static let socket = """
        [Unit]
        Description=Port of the blackjack tables
        Documentation=man:bjserver(1)

        [Socket]
        ListenStream=2121
        FileDescriptorName=game
        Backlog=4096
        NoDelay=yes

        [Install]
        WantedBy=sockets.target

        """
}

/// An alert of Prometheus.
struct Alert: Sendable {
    let name: String
    /// PromQL.
    let expression: String
    /// Time for which it must hold, in Prometheus' notation.
    let duration: String
    /// `page`: a person is needed at once. `ticket`: within days.
    let severity: String
    let summary: String
    let action: String

    static let all = [
        Alert(
            name: "BlackjackDown", expression: "up{job=\"bjserver\"} == 0", duration: "1m", severity: "page",
            summary: "The server does not answer.", action: "systemctl status bjserver; its log has the reason."),
        Alert(
            name: "BlackjackChipsImbalanced", expression: "bj_ledger_imbalance_chips != 0", duration: "0s", severity: "page",
            summary: "Bank, accounts, tables and house do not add up to zero.",
            action: "Drain the server, keep the data folder, run 'bjserver audit' on a copy, and report the fault."),
        Alert(
            name: "BlackjackLeftAlone", expression: "bj_partition_left_alone > 0", duration: "0s", severity: "page",
            summary: "Spares leave a database without a server alone: starts on it fail, or it is of a newer version.",
            action:
                "The log has the reason (partition_left_alone). 'bjserver audit URL', then 'bjserver journal repair URL', of several partitions with ?partition=K."
        ),
        Alert(
            name: "BlackjackWithoutOwner",
            expression: "(count(count_values(\"partition\", bj_partition_number > 0)) or vector(0)) < max(bj_partitions)",
            duration: "30s", severity: "page", summary: "No server owns the tables of the database, or of one of its partitions.",
            action:
                "'bjserver store status URL' names the last owners; look at the logs of servers and database. Each partition needs a process."
        ),
        Alert(
            name: "BlackjackRelayFails", expression: "increase(bj_relay_failures_total[5m]) > 0", duration: "10m",
            severity: "page", summary: "Players of this server do not reach tables of another one, for ten minutes.",
            action:
                "The log has partition and reason (relay_failed): the other server's --proxy-trust needs this one, and its --advertise has to be reached."
        ),
        Alert(
            name: "BlackjackDescriptorsShort", expression: "process_open_fds / process_max_fds > 0.9", duration: "1m",
            severity: "page", summary: "More than nine tenths of the descriptors are in use.",
            action: "Raise LimitNOFILE, or lower --max-connections."),
        Alert(
            name: "BlackjackAcceptFails", expression: "increase(bj_accept_failures_total[5m]) > 0", duration: "0s",
            severity: "page", summary: "The system refuses connections for lack of descriptors or memory.",
            action: "Raise LimitNOFILE or MemoryMax, or lower --max-connections."),
        Alert(
            name: "BlackjackLoopLags", expression: "avg_over_time(bj_loop_lag_seconds[1m]) > 0.1", duration: "2m",
            severity: "page",
            summary: "A loop answers more than 100 ms late on average.", action: "Give the server a processor."),
        Alert(
            name: "BlackjackDiskStalls", expression: "bj_disk_stalled == 1 or increase(bj_disk_stalls_total[10m]) > 0",
            duration: "0s", severity: "page",
            summary: "The disk or the database keeps the server waiting: play stands still, or did within ten minutes.",
            action: "Check space and speed of the disk of the data folder (df, iostat; see --durability) or of the database."),
        Alert(
            name: "BlackjackDiskFills",
            expression:
                "bj_data_free_bytes >= 0 and (bj_data_free_bytes < 256e6 or bj_data_free_bytes + 4 * delta(bj_data_free_bytes[1h]) < 0)",
            duration: "5m", severity: "page",
            summary:
                "The disk of the data folder has less than 256 MB left, or is full within four hours: play will stand still.",
            action: "See what grows (du, bj_journal_bytes); make room, or have a smaller --history."),
        Alert(
            name: "BlackjackRestarts", expression: "changes(process_start_time_seconds{job=\"bjserver\"}[15m]) > 2",
            duration: "0s", severity: "page", summary: "The server has started three times within a quarter of an hour.",
            action: "Its log has the reason before each start (event=started): 'journalctl -u bjserver'."),
        Alert(
            name: "BlackjackCheckpointFails", expression: "increase(bj_checkpoint_failures_total[1h]) > 0", duration: "0s",
            severity: "ticket", summary: "A checkpoint could not be written.",
            action: "Check space on the data folder's disk: without checkpoints the journal grows."),
        Alert(
            name: "BlackjackLogLinesLost", expression: "increase(bj_log_lines_dropped_total[10m]) > 0", duration: "0s",
            severity: "ticket", summary: "Log lines were dropped: their reader is too slow.", action: "Check the log's reader."),
        Alert(
            name: "BlackjackAccountsNearlyFull", expression: "bj_accounts / bj_accounts_limit > 0.9", duration: "1m",
            severity: "ticket", summary: "More than nine tenths of the accounts are in use.",
            action: "Raise --max-accounts, or delete accounts that nobody uses: 'bjserver ctl delete --unused-since DATE'."),
        Alert(
            name: "BlackjackNearlyFull",
            expression: "bj_connections_lingering > 200 or increase(bj_connections_refused_total{reason=\"full\"}[10m]) > 0",
            duration: "0s", severity: "ticket", summary: "Players are refused: the server is full.",
            action: "Raise --max-connections and LimitNOFILE."),
    ]

    /// A rule file of Prometheus.
    static var rules: String {
        let header = "groups:\n  - name: bjserver\n    rules:\n"
        return header
            + all.map { alert in
                """
                      - alert: \(alert.name)
                        expr: '\(alert.expression)'
                        for: \(alert.duration)
                        labels: {severity: \(alert.severity)}
                        annotations:
                          summary: "\(alert.summary)"
                          action: "\(alert.action)"

                """
            }.joined()
    }
}
