-- The datasets that a node of a cluster is loading from the shared log. No reader gets their state:
-- it may be that of long ago. Without a checksum: a row decides only who waits for the log.
CREATE TABLE loading (
  dataset INTEGER PRIMARY KEY
) STRICT;
