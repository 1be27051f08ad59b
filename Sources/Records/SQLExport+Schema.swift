extension SQLExport {
    /// Tables and views. Amounts are chips, times are UTC as text, cards are as on the wire (`KH TD`).
    public static let schema = """
        BEGIN;
        CREATE TABLE players(id INTEGER PRIMARY KEY, name TEXT NOT NULL, is_bot INTEGER NOT NULL, is_guest INTEGER NOT NULL,
          created TEXT NOT NULL, closed TEXT);
        -- Chips from the bank and back; reason: account, rebuy, credit, closed, carried over.
        CREATE TABLE issues(id INTEGER PRIMARY KEY, player INTEGER NOT NULL, chips INTEGER NOT NULL, reason TEXT NOT NULL,
          time TEXT NOT NULL, sequence INTEGER NOT NULL, line INTEGER NOT NULL);
        CREATE TABLE tables(name TEXT NOT NULL, opened TEXT NOT NULL, gone TEXT, owner INTEGER, rules TEXT NOT NULL,
          PRIMARY KEY(name, opened));
        -- Chips to a table (seat given) and from it (negative).
        CREATE TABLE visits(id INTEGER PRIMARY KEY, player INTEGER NOT NULL, table_name TEXT NOT NULL, seat INTEGER,
          chips INTEGER NOT NULL, time TEXT NOT NULL, sequence INTEGER NOT NULL, line INTEGER NOT NULL);
        -- Shoes that are over, with their keys; a shoe in play is not here.
        CREATE TABLE shoes(table_name TEXT NOT NULL, table_opened TEXT NOT NULL, number INTEGER NOT NULL, started TEXT NOT NULL,
          key TEXT NOT NULL);
        -- Finished rounds. dealer_total is NULL if the hole card was never shown.
        CREATE TABLE rounds(id INTEGER PRIMARY KEY, table_name TEXT NOT NULL, table_opened TEXT NOT NULL, number INTEGER NOT NULL,
          shoe INTEGER NOT NULL, started TEXT NOT NULL, ended TEXT NOT NULL, dealer TEXT NOT NULL, dealer_total INTEGER,
          is_voided INTEGER NOT NULL, sequence INTEGER NOT NULL, line INTEGER NOT NULL);
        CREATE TABLE hands(round INTEGER NOT NULL, seat INTEGER NOT NULL, hand INTEGER NOT NULL, player INTEGER NOT NULL,
          cards TEXT NOT NULL, moves TEXT NOT NULL, stake INTEGER NOT NULL, outcome TEXT NOT NULL, paid INTEGER NOT NULL,
          PRIMARY KEY(round, seat, hand));
        CREATE TABLE insurances(round INTEGER NOT NULL, seat INTEGER NOT NULL, player INTEGER NOT NULL, stake INTEGER NOT NULL,
          paid INTEGER NOT NULL, PRIMARY KEY(round, seat));
        CREATE INDEX hands_player ON hands(player);
        CREATE INDEX insurances_player ON insurances(player);
        CREATE INDEX issues_player ON issues(player);
        -- The net of each player's finished hands and insurances, round by round.
        CREATE VIEW results AS
          SELECT round, seat, player, stake, paid - stake AS net FROM hands
          UNION ALL SELECT round, seat, player, stake, paid - stake FROM insurances;
        CREATE VIEW player_rounds AS
          SELECT r.id AS round, r.table_name, r.number, r.ended, x.player, p.name, SUM(x.stake) AS wagered, SUM(x.net) AS net
          FROM results x JOIN rounds r ON r.id = x.round JOIN players p ON p.id = x.player GROUP BY r.id, x.player;
        -- Chips that each player owns, bets of rounds in play included.
        CREATE VIEW balances AS
          SELECT p.id AS player, p.name,
            (SELECT COALESCE(SUM(chips), 0) FROM issues WHERE player = p.id) AS issued,
            (SELECT COALESCE(SUM(net), 0) FROM results WHERE player = p.id) AS net,
            (SELECT COALESCE(SUM(chips), 0) FROM issues WHERE player = p.id)
              + (SELECT COALESCE(SUM(net), 0) FROM results WHERE player = p.id) AS balance
          FROM players p;
        CREATE VIEW house AS SELECT table_name, table_opened, COUNT(DISTINCT r.id) AS rounds, -SUM(x.net) AS net
          FROM rounds r JOIN results x ON x.round = r.id GROUP BY table_name, table_opened;

        """
}
