-- The log that the nodes of a cluster share. All of it stands in a schema of its own.

CREATE SCHEMA layoutcache;

-- One row: what holds for the whole log.
CREATE TABLE layoutcache.cluster (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  incarnation uuid NOT NULL DEFAULT gen_random_uuid(), -- new where the log is made or restored
  format integer NOT NULL,                             -- the number of the last of these files
  rules integer NOT NULL,                              -- the version of the layout rules in force
  -- The last number that a layout has got. No sequence: what it gives out is not waited for by
  -- the standbys, and would be given out again behind a failover.
  last_layout bigint NOT NULL DEFAULT 0
);

-- A row of its own for each node: what it writes to be sure that what it has read is so.
CREATE TABLE layoutcache.node (
  id uuid PRIMARY KEY,
  boot uuid NOT NULL,                                  -- new at each start
  rules_min integer NOT NULL,                          -- the versions of the rules that it knows
  rules_max integer NOT NULL,
  title text NOT NULL,                                 -- what people call it
  seen timestamptz NOT NULL
) WITH (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- A dataset, and where its log ends. The row is written with every append: half of each page
-- stays free, so that the new version stands on the same page and no index is written. What an
-- append changes stands side by side: the server's own log takes the bytes from the first that
-- changed to the last.
CREATE TABLE layoutcache.dataset (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  cut bigint NOT NULL DEFAULT 0,                       -- entries up to here are cut off
  at bigint NOT NULL,                                  -- made at, by its maker's clock, in ms
  epoch integer NOT NULL DEFAULT 1,
  head bigint NOT NULL DEFAULT 0,                      -- the last entry's sequence
  revision bigint NOT NULL DEFAULT 1,                  -- the last entry's revision
  chain bytea NOT NULL,                                -- the last entry's chain
  begin bytea NOT NULL,                                -- the chain before any entry
  name text COLLATE "C" UNIQUE                         -- NULL: removed, and being swept
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE TABLE layoutcache.log (
  dataset bigint NOT NULL,
  sequence bigint NOT NULL,
  revision bigint NOT NULL,
  at bigint NOT NULL,                                  -- proposed at, in ms
  proposal uuid NOT NULL,
  kind smallint NOT NULL,                              -- SharedEntry.Kind
  chain bytea NOT NULL,
  request bytea,
  payload bytea NOT NULL,
  PRIMARY KEY (dataset, sequence),
  UNIQUE (dataset, proposal)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);

-- Bytes in chunks. Nobody sees an archive before an entry names it or it is a checkpoint; one
-- that is neither is swept when it is old. What decides on that stands in the one row, so that
-- who publishes and who sweeps wait for each other.
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
) WITH (fillfactor = 80);

CREATE TABLE layoutcache.chunk (
  archive bigint NOT NULL,
  number integer NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (archive, number)
);

-- They come compressed, if that is worth it.
ALTER TABLE layoutcache.chunk ALTER COLUMN bytes SET STORAGE EXTERNAL;
