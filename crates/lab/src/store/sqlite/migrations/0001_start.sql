-- A line is one method pointed at some targets, with one seed and one shard of the tickets.
CREATE TABLE line (
    id      INTEGER PRIMARY KEY,
    method  TEXT    NOT NULL,
    seed    INTEGER NOT NULL,
    shard   TEXT    NOT NULL,
    targets TEXT    NOT NULL,
    UNIQUE (method, seed, shard, targets)
);

-- Tickets that are done: `first` and all that follow up to, not including, `after`.
CREATE TABLE done (
    line    INTEGER NOT NULL REFERENCES line (id),
    first   INTEGER NOT NULL,
    after   INTEGER NOT NULL,
    PRIMARY KEY (line, first)
) WITHOUT ROWID;

-- Why cases were skipped, and how often.
CREATE TABLE skipped (
    why     TEXT    PRIMARY KEY,
    times   INTEGER NOT NULL
) WITHOUT ROWID;

-- `document` is the whole finding as JSON; the other columns are what a hunt asks for each time that a
-- promise is broken, and what is searched for. `sightings` counts the rows of that table.
CREATE TABLE finding (
    id          TEXT    PRIMARY KEY,
    merged_into TEXT    REFERENCES finding (id),
    first_seen  INTEGER NOT NULL,
    ticket      TEXT    NOT NULL,
    replaceable INTEGER NOT NULL,
    sightings   INTEGER NOT NULL DEFAULT 0,
    document    TEXT    NOT NULL
);

-- Every signature that a finding ever had leads to it.
CREATE TABLE signature (
    key     TEXT    PRIMARY KEY,
    finding TEXT    NOT NULL REFERENCES finding (id)
) WITHOUT ROWID;

-- The tickets that showed a finding. Seeing the same one twice changes nothing.
CREATE TABLE sighting (
    finding TEXT    NOT NULL REFERENCES finding (id),
    ticket  TEXT    NOT NULL,
    target  TEXT    NOT NULL,
    PRIMARY KEY (finding, ticket, target)
) WITHOUT ROWID;

CREATE TRIGGER seen AFTER INSERT ON sighting BEGIN
    UPDATE finding SET sightings = sightings + 1 WHERE id = NEW.finding;
END;

CREATE TABLE flaky (
    ticket   TEXT   NOT NULL,
    target   TEXT   NOT NULL,
    document TEXT   NOT NULL,
    PRIMARY KEY (ticket, target)
) WITHOUT ROWID;

-- One row for each time that `hunt` was started, and its progress over time.
CREATE TABLE run (
    id      INTEGER PRIMARY KEY,
    started INTEGER NOT NULL,
    command TEXT    NOT NULL,
    tally   TEXT,
    -- Why it ended, as JSON; null while it is under way, and for ever if it was killed.
    ended   TEXT
);

CREATE TABLE sample (
    run     INTEGER NOT NULL REFERENCES run (id),
    elapsed REAL    NOT NULL,
    cases   INTEGER NOT NULL
);
