extension InstalledFiles {
    /// The unit. `systemd-analyze security --offline=yes` rates its exposure at most 1.5; `.ci/install` checks it.
    var service: String {
        """
        [Unit]
        Description=Blackjack tables over TCP
        Documentation=man:bjserver(1)
        After=network-online.target
        Wants=network-online.target

        [Service]
        Type=notify
        # BJ_LISTEN, BJ_BOTS, BJ_CONFIG and so on: one variable for each setting of bjserver(1).
        EnvironmentFile=-/etc/default/bjserver
        Environment=BJ_ADMIN=/run/bjserver/admin.sock
        ExecStart=\(prefix)/bin/bjserver
        ExecReload=kill -HUP $MAINPID
        # SIGTERM keeps hands and takes a second; with BJ_DATA=none it plays them to their end: BJ_DRAIN_TIMEOUT, 1 minute.
        TimeoutStopSec=90
        TimeoutStartSec=300
        WatchdogSec=30
        Restart=on-failure
        RestartSec=1
        # A wrong configuration or a damaged journal waits for a person.
        RestartPreventExitStatus=64 65

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
