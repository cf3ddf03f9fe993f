-- The steps of reductions, each with the case that it led to.
CREATE TABLE step (
    finding  TEXT    NOT NULL REFERENCES finding (id),
    step     INTEGER NOT NULL,
    document TEXT    NOT NULL,
    PRIMARY KEY (finding, step)
) WITHOUT ROWID;
