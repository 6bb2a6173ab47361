-- What a node of a cluster knows of the log that it shares with others. Empty elsewhere.

-- How far a dataset has followed that log.
CREATE TABLE replicas (
  dataset INTEGER PRIMARY KEY,
  -- The name of the shared log, and the dataset's number in it.
  log BLOB NOT NULL,
  number INTEGER NOT NULL,
  -- The last entry that has been carried out, and the hash over all up to it.
  sequence INTEGER NOT NULL,
  chain BLOB NOT NULL,
  -- SipHash-1-3 of the other columns.
  checksum INTEGER NOT NULL
) STRICT;

-- Where the shared log says that the present results of layouts begin.
CREATE TABLE pins (
  layout INTEGER PRIMARY KEY,
  dataset INTEGER NOT NULL,
  -- The dataset's revision at that place.
  revision INTEGER NOT NULL,
  -- The configuration that the result is laid out by.
  configuration TEXT NOT NULL,
  -- The incarnation that it gets.
  incarnation INTEGER NOT NULL,
  -- That of the result of another configuration that it goes on from; NULL for none.
  earlier INTEGER,
  -- SipHash-1-3 of the other columns.
  checksum INTEGER NOT NULL
) STRICT;
