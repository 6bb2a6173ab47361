-- The log: the batches committed to each dataset, oldest first. A dataset's row and
-- its layouts' rows are checkpoints; what came after a row's revision is applied
-- to its trees when they are opened.

CREATE TABLE log (
  -- No REFERENCES: each commit would look the dataset up.
  dataset INTEGER NOT NULL,
  -- The dataset's revision after the batch.
  revision INTEGER NOT NULL,
  -- How many operations the batch counts for: an item that is inserted, deleted or
  -- changed is one, one that is moved two.
  operations INTEGER NOT NULL,
  -- The resolved operations.
  payload BLOB NOT NULL,
  -- SipHash-1-3 of the other columns.
  checksum INTEGER NOT NULL,
  PRIMARY KEY (dataset, revision)
) STRICT, WITHOUT ROWID;
