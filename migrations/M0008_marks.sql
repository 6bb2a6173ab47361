-- How far sources of changes have been followed: the last mark of each that a batch has
-- set.
CREATE TABLE marks (
  -- No REFERENCES, as in the log.
  dataset INTEGER NOT NULL,
  source TEXT NOT NULL,
  position TEXT NOT NULL,
  -- That of the commit which has set it.
  revision INTEGER NOT NULL,
  -- SipHash-1-3 of the other columns.
  checksum INTEGER NOT NULL,
  PRIMARY KEY (dataset, source)
) STRICT, WITHOUT ROWID;
