import CommandLineKit

extension InstalledFiles {
    /// TLS on port 2142, PROXY protocol version 2 to the server, which so logs and limits the player's own address.
    var haproxy: String {
        """
        # TLS in front of bjserver: start it with --proxy-listen \(options.proxy), and put certificate and key into one file.
        global
            maxconn 8192
            ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets

        defaults
            mode tcp
            timeout connect 5s
            # Longer than --idle-timeout (15m): the server decides who is idle.
            timeout client 30m
            timeout server 30m

        frontend players
            bind :2142 ssl crt /etc/bjserver/tls.pem
            default_backend tables

        backend tables
            server bjserver \(options.proxy) send-proxy-v2

        """
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

    /// `ssh play@HOST` opens the client and nothing else: no shell, no forwarding, no files.
    var ssh: String {
        """
        # A public game by 'ssh play@HOST'. Copy to /etc/ssh/sshd_config.d/ and make an account without a password:
        #   useradd --create-home --shell /bin/sh play && passwd --delete play
        # Players are guests, since all of them have the same home folder. They come from this machine: --trust none limits them, too.
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
}
