-- The schema of a LayoutCache database; docs/FORMAT.md explains every column.

-- One row: what the whole file has in common.
CREATE TABLE database (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- The 16-byte key of the hash that indexes item and section keys: random, so
  -- that nobody can prepare keys that collide.
  hash_key BLOB NOT NULL CHECK (length(hash_key) = 16),
  -- The next free space: the range of node ids that one tree owner uses.
  next_space INTEGER NOT NULL CHECK (next_space BETWEEN 1 AND 33554432)
) STRICT;

CREATE TABLE datasets (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  space INTEGER NOT NULL UNIQUE,
  -- The next free node number of the space.
  next_node INTEGER NOT NULL,
  -- The number of committed changes.
  revision INTEGER NOT NULL,
  section_count INTEGER NOT NULL,
  item_count INTEGER NOT NULL,
  -- The roots of the dataset's four trees.
  roots BLOB NOT NULL,
  -- SipHash-1-3 of the other columns.
  checksum INTEGER NOT NULL
) STRICT;

CREATE TABLE layouts (
  id INTEGER PRIMARY KEY,
  dataset INTEGER NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- The configuration as the JSON object that the user gave.
  configuration TEXT NOT NULL,
  -- The result, all NULL until the layout is first prepared.
  space INTEGER UNIQUE,
  next_node INTEGER,
  -- The dataset's revision that the result belongs to.
  revision INTEGER,
  root BLOB,
  -- SipHash-1-3 of the other columns.
  checksum INTEGER NOT NULL,
  UNIQUE (dataset, name)
) STRICT;

-- Tree nodes. id = space * 2^38 + number in the space.
CREATE TABLE nodes (
  id INTEGER PRIMARY KEY,
  payload BLOB NOT NULL
) STRICT;
