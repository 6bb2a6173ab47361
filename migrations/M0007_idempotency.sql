-- What has been carried out once and is not to be carried out again: batches that were
-- sent with a key.

CREATE TABLE requests (
  -- No REFERENCES: those of a dataset that is gone are given back in instalments.
  dataset INTEGER NOT NULL,
  -- Who has sent it: keys of two owners have nothing to do with each other.
  owner TEXT NOT NULL,
  key TEXT NOT NULL,
  -- A hash of what was sent.
  body_hash BLOB NOT NULL,
  -- The dataset's revision behind it.
  revision INTEGER NOT NULL,
  -- What was answered; NULL where that is too long to be kept.
  answer BLOB,
  -- When, in milliseconds since 1970.
  time INTEGER NOT NULL,
  -- SipHash-1-3 of the other columns.
  checksum INTEGER NOT NULL,
  PRIMARY KEY (dataset, owner, key)
) STRICT;

-- What is old goes first.
CREATE INDEX requests_by_time ON requests (time);
