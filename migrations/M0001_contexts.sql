-- The schema of a LayoutCache database; docs/FORMAT.md explains every column. Each `checksum` is
-- SipHash-1-3 of the other columns of its row.

-- One row: the values of the whole file.
CREATE TABLE database (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- The 16-byte key of the hash that indexes item and section keys: random, so that clients
  -- cannot prepare keys that collide.
  hash_key BLOB NOT NULL CHECK (length(hash_key) = 16),
  -- The next free space: the range of node ids of one tree owner.
  next_space INTEGER NOT NULL CHECK (next_space BETWEEN 1 AND 33554432),
  -- The binding of a write-ahead log to its file. The first commit of each log writes it, with a
  -- new `user_version`, the log's number.
  -- A random number, new when a copy becomes a database.
  identity INTEGER NOT NULL DEFAULT 0,
  -- The inode of the file for which the log was begun.
  inode INTEGER NOT NULL DEFAULT 0,
  -- The number in the header on the disk when the log was begun.
  previous_number INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE datasets (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  space INTEGER NOT NULL UNIQUE,
  -- The next free node number of the space.
  next_node INTEGER NOT NULL,
  -- The number of committed changes that the trees contain; the log may contain more.
  revision INTEGER NOT NULL,
  section_count INTEGER NOT NULL,
  item_count INTEGER NOT NULL,
  -- The roots of the dataset's trees.
  roots BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  -- A random number, new when the dataset is created.
  incarnation INTEGER NOT NULL
) STRICT;

CREATE TABLE layouts (
  id INTEGER PRIMARY KEY,
  dataset INTEGER NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- The configuration: a JSON object with sorted members.
  configuration TEXT NOT NULL,
  -- The dataset's revision at which the size of the container last changed so that lengths
  -- measured before do not count; 0 for never.
  lengths_since INTEGER NOT NULL,
  -- The result. All columns are NULL until the layout is first prepared.
  space INTEGER UNIQUE,
  next_node INTEGER,
  -- The dataset's revision of the result.
  revision INTEGER,
  root BLOB,
  checksum INTEGER NOT NULL,
  -- The configuration of the result; NULL if it is the layout's present one.
  result_configuration TEXT,
  -- A random number, new when any section of the result is laid out from scratch.
  incarnation INTEGER,
  -- The version of the rules by which the result was laid out.
  rules INTEGER,
  -- The first revision that the result's history reaches.
  history_begin INTEGER,
  -- The undo stack of the result; NULL if its columns follow from the items.
  undo BLOB,
  -- The number of the template's definition that the configuration comes from; NULL for a layout
  -- of the dataset itself.
  template INTEGER,
  UNIQUE (dataset, name)
) STRICT;

-- Tree nodes, whole or as differences from others. id = space * 2^38 + number in the space.
CREATE TABLE nodes (
  id INTEGER PRIMARY KEY,
  payload BLOB NOT NULL
) STRICT;

-- The log: the batches committed to each dataset, oldest first. The rows of datasets and layouts
-- are checkpoints; batches after a row's revision are applied to its trees when they are opened.
-- The last row of a dataset is the head of its log.
CREATE TABLE log (
  -- Without REFERENCES: each commit would look up the dataset.
  dataset INTEGER NOT NULL,
  -- The dataset's revision after the batch; 2^63 - 1 for the head.
  revision INTEGER NOT NULL,
  -- The number of operations: an inserted, deleted or changed item is one, a moved item two. In
  -- the head, the last revision.
  operations INTEGER NOT NULL,
  -- The resolved operations.
  payload BLOB NOT NULL,
  -- The changes of the results that the commit has updated.
  contexts BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  -- The time of the commit in milliseconds since 1970.
  time INTEGER NOT NULL,
  -- The totals of the dataset's batches up to this one: operations, and bytes of payload and
  -- contexts.
  total_operations INTEGER NOT NULL,
  total_bytes INTEGER NOT NULL,
  PRIMARY KEY (dataset, revision)
) STRICT, WITHOUT ROWID;

-- The changes of results from one revision to a later one that are in no row of the log: those of
-- commits of processes that did not update the result, and those of catching up.
CREATE TABLE contexts (
  -- The space of the result's nodes. Without REFERENCES, as in the log.
  space INTEGER NOT NULL,
  end_revision INTEGER NOT NULL,
  start_revision INTEGER NOT NULL,
  context BLOB NOT NULL,
  -- The total of the result's rows up to this one: bytes of context, and 32 for each row.
  total_bytes INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (space, end_revision, start_revision)
) STRICT, WITHOUT ROWID;

-- Storage to reclaim in instalments: nodes of a space (kind 0) or rows of a dataset's log
-- (kind 1).
CREATE TABLE remains (
  kind INTEGER NOT NULL,
  id INTEGER NOT NULL,
  -- For a space that is being filled, its last sign of life in milliseconds since 1970; NULL for
  -- garbage.
  touched INTEGER,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

-- Batches applied with an idempotency key, so that repeats are recognised.
CREATE TABLE requests (
  -- Without REFERENCES: the rows of a deleted dataset are reclaimed in instalments.
  dataset INTEGER NOT NULL,
  -- The sender: keys of two owners are independent.
  owner TEXT NOT NULL,
  key TEXT NOT NULL,
  -- A hash of the batch as sent.
  body_hash BLOB NOT NULL,
  -- The dataset's revision after the batch.
  revision INTEGER NOT NULL,
  -- The answer; NULL if it is too long to store.
  answer BLOB,
  -- The time in milliseconds since 1970.
  time INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  -- The end of the answer, with all answers of the dataset laid end to end in their order; NULL
  -- without an answer.
  answer_end INTEGER,
  PRIMARY KEY (dataset, owner, key)
) STRICT;

-- The positions up to which sources of changes have been followed: the last mark of each.
CREATE TABLE marks (
  -- Without REFERENCES, as in the log.
  dataset INTEGER NOT NULL,
  source TEXT NOT NULL,
  position TEXT NOT NULL,
  -- The revision of the commit that set the mark.
  revision INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (dataset, source)
) STRICT, WITHOUT ROWID;

-- The position of each dataset in the shared log of a cluster. Empty on a single machine.
CREATE TABLE replicas (
  dataset INTEGER PRIMARY KEY,
  -- The name of the shared log, and the dataset's number in it.
  log BLOB NOT NULL,
  number INTEGER NOT NULL,
  -- The last entry that was applied, and the hash over all entries up to it.
  sequence INTEGER NOT NULL,
  chain BLOB NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

-- The positions in the shared log at which the present results of layouts begin.
CREATE TABLE pins (
  layout INTEGER PRIMARY KEY,
  dataset INTEGER NOT NULL,
  -- The dataset's revision at that position.
  revision INTEGER NOT NULL,
  -- The configuration of the result.
  configuration TEXT NOT NULL,
  -- The incarnation of the result.
  incarnation INTEGER NOT NULL,
  -- The incarnation of the result of another configuration that it continues; NULL for none.
  earlier INTEGER,
  checksum INTEGER NOT NULL
) STRICT;

-- Counts of rows, so that limits need no scan: datasets of the file, layouts of each dataset.
CREATE TABLE counts (
  -- A dataset's id, for its layouts; 0 for the datasets.
  dataset INTEGER PRIMARY KEY,
  count INTEGER NOT NULL,
  -- The number of definitions that the dataset's layouts have had, or the file's templates for 0:
  -- the last one's number.
  definitions INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO counts (dataset, count) VALUES (0, 0);

-- The definitions of layouts: the present configuration of each, and the last ones before it.
-- Variants have none.
CREATE TABLE definitions (
  layout INTEGER NOT NULL REFERENCES layouts (id) ON DELETE CASCADE,
  -- Rises with the definitions of all layouts of the dataset.
  number INTEGER NOT NULL,
  configuration TEXT NOT NULL,
  -- When it was set, in milliseconds since 1970.
  time INTEGER NOT NULL,
  -- The name of the caller's token; empty without one.
  who TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (layout, number)
) STRICT;

-- Layouts of many datasets. A layout is filed in `layouts` when it is first used in a dataset, and
-- again when it is used after the template has changed.
CREATE TABLE templates (
  name TEXT PRIMARY KEY,
  -- The name of a dataset, or the beginning of names and `*`.
  datasets TEXT NOT NULL,
  -- The layout's name.
  layout TEXT NOT NULL,
  configuration TEXT NOT NULL,
  -- Rises with the definitions of all templates.
  number INTEGER NOT NULL,
  -- When it was set, in milliseconds since 1970.
  time INTEGER NOT NULL,
  -- The name of the caller's token; empty without one.
  who TEXT NOT NULL,
  checksum INTEGER NOT NULL,
  UNIQUE (layout, datasets)
) STRICT, WITHOUT ROWID;

-- The named views of datasets.
CREATE TABLE views (
  dataset INTEGER NOT NULL REFERENCES datasets (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  -- A digest of the listed keys; 0 for a filter and an order.
  keys INTEGER NOT NULL,
  -- The filter, the order and the keys.
  definition BLOB NOT NULL,
  checksum INTEGER NOT NULL,
  PRIMARY KEY (dataset, name)
) STRICT, WITHOUT ROWID;

-- The variants of responsive layouts: rows of `layouts` named NAME@WIDTH. The times decide which
-- are dropped first; a lost time only changes that order, so the rows have no checksum.
CREATE TABLE variants (
  layout INTEGER PRIMARY KEY REFERENCES layouts (id) ON DELETE CASCADE,
  -- The times of creation and of the last recorded use, in milliseconds since 1970.
  created INTEGER NOT NULL,
  used INTEGER NOT NULL
) STRICT;

-- The datasets that a node of a cluster is loading from the shared log. No reader gets their state:
-- it may be that of long ago. Without a checksum: a row decides only who waits for the log.
CREATE TABLE loading (
  dataset INTEGER PRIMARY KEY
) STRICT;

-- Indexes follow all tables, so that VACUUM keeps the root pages of a new file: a connection that
-- knows the schema finds each table where it expects it, in a backup too.

-- For expiry, oldest first.
CREATE INDEX requests_by_time ON requests (dataset, time);
CREATE INDEX requests_by_answer ON requests (dataset, answer_end) WHERE answer_end IS NOT NULL;
CREATE INDEX layouts_of_templates ON layouts (id) WHERE template IS NOT NULL;
