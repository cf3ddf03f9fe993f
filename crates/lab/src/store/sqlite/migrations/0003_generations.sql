-- The closed generations of lines that grow, and the cases that may have children. The pool of a line is rebuilt from these.
CREATE TABLE generation (
    line     INTEGER NOT NULL REFERENCES line (id),
    number   INTEGER NOT NULL,
    document TEXT    NOT NULL,
    PRIMARY KEY (line, number)
) WITHOUT ROWID;

CREATE TABLE entry (
    line       INTEGER NOT NULL REFERENCES line (id),
    generation INTEGER NOT NULL,
    -- The number of the case, which is also the order of admission.
    number     INTEGER NOT NULL,
    accepted   INTEGER NOT NULL,
    -- The blocks of the compiler that few earlier entries reach: differences as variable-length numbers.
    rare       BLOB    NOT NULL,
    document   TEXT    NOT NULL,
    PRIMARY KEY (line, generation, number)
) WITHOUT ROWID;

-- What the pools of a run came to after that time, as JSON.
ALTER TABLE sample ADD COLUMN growth TEXT;
