-- The variants of responsive layouts: rows of `layouts` named NAME@WIDTH. The times decide which
-- are dropped first; a lost time only changes that order, so the rows have no checksum.
CREATE TABLE variants (
  layout INTEGER PRIMARY KEY REFERENCES layouts (id) ON DELETE CASCADE,
  -- The times of creation and of the last recorded use, in milliseconds since 1970.
  created INTEGER NOT NULL,
  used INTEGER NOT NULL
) STRICT;
