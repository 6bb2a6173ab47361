-- The log that the nodes of a cluster share. All of it is in a separate schema.

CREATE SCHEMA layoutcache;

-- One row: the properties of the whole log.
CREATE TABLE layoutcache.cluster (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  incarnation uuid NOT NULL DEFAULT gen_random_uuid(), -- new when the log is created or restored
  format_min integer NOT NULL,                         -- the oldest format whose nodes may use it
  format integer NOT NULL,                             -- the number of the last of these files
  rules integer NOT NULL,                              -- the version of the layout rules in effect
  -- The last number reserved for layouts. Not a sequence: standbys do not wait for its values, so
  -- that some would be given out again after a failover.
  last_layout bigint NOT NULL DEFAULT 0,
  templates bigint NOT NULL DEFAULT 0,                 -- the number of their last change
  template_rows bytea NOT NULL DEFAULT ''              -- all of them, as nodes encode them
);

-- A row per node, written by each of its polls.
CREATE TABLE layoutcache.node (
  id uuid PRIMARY KEY,
  boot uuid NOT NULL,                                  -- of the process that took the name last
  rules_min integer NOT NULL,                          -- the versions of the rules that it supports
  rules_max integer NOT NULL,
  title text NOT NULL,                                 -- the display name
  seen timestamptz NOT NULL
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- A row per connection. Each confirmed read writes it, so that a standby confirms the read. One
-- row per node would be written by one connection at a time.
CREATE TABLE layoutcache.barrier (
  connection uuid PRIMARY KEY,
  seen timestamptz NOT NULL
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- A dataset, and where its log ends. The row is written with every append: half of each page
-- stays free, so that the new version is on the same page and no index is written. The columns
-- that an append changes are adjacent: the server's write-ahead log takes the bytes from the
-- first changed one to the last.
CREATE TABLE layoutcache.dataset (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  cut bigint NOT NULL DEFAULT 0,                       -- entries up to here are deleted
  at bigint NOT NULL,                                  -- creation, by the creator's clock, in ms
  covered bigint NOT NULL DEFAULT 0,                   -- the cost that the newest checkpoint saves
  epoch integer NOT NULL DEFAULT 1,
  head bigint NOT NULL DEFAULT 0,                      -- the last entry's sequence
  cost bigint NOT NULL DEFAULT 0,                      -- the cost of deciding all entries
  before bytea NOT NULL DEFAULT '',                    -- the chain before the last append
  chain bytea NOT NULL,                                -- the chain after it
  begin bytea NOT NULL,                                -- the chain before any entry
  claimed timestamptz,                                 -- until then a node makes a checkpoint
  name_tag uuid NOT NULL DEFAULT gen_random_uuid(),    -- new with each rename
  name text COLLATE "C" UNIQUE                         -- NULL: removed, and being swept
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- A row per append: its requests, in one value (SharedEntry.swift). An append takes the next numbers
-- of its dataset, whose row it locks. The name makes it unique: one whose answer was lost is made
-- again. Names rise with time, so their index grows at its end.
CREATE TABLE layoutcache.log (
  dataset bigint NOT NULL,
  first bigint NOT NULL,                               -- the sequence of the first entry
  last bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  before bytea NOT NULL,                               -- the chain before
  chain bytea NOT NULL,                                -- a hash of it and the requests
  name bytea NOT NULL UNIQUE,                          -- that of the first request, 16 bytes
  requests bytea NOT NULL,
  PRIMARY KEY (dataset, last)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);

-- Bytes in chunks. An archive is invisible until an entry names it or it is a checkpoint; one
-- that is neither is swept when it is old. One row decides on that, so that a caller that
-- publishes and one that sweeps wait for each other.
CREATE TABLE layoutcache.archive (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  dataset bigint,                                      -- NULL: not known yet
  entry bigint,                                        -- the sequence of the entry that names it
  checkpoint bigint,                                   -- the sequence at which it is a checkpoint
  begun timestamptz NOT NULL DEFAULT now(),
  chain bytea,                                         -- the chain at the checkpoint
  digest bytea,
  is_going boolean NOT NULL DEFAULT false,             -- being swept
  UNIQUE (dataset, checkpoint)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

-- Archives come and go in thousands of rows: deleted chunks are reclaimed before the next archive
-- needs their space, and the values out of line are vacuumed with them.
CREATE TABLE layoutcache.chunk (
  archive bigint NOT NULL,
  number integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (archive, number)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 200,
  toast.autovacuum_vacuum_scale_factor = 0.02, toast.autovacuum_vacuum_threshold = 1000);

-- They are already compressed if that is worth it.
ALTER TABLE layoutcache.chunk ALTER COLUMN bytes SET STORAGE EXTERNAL;
