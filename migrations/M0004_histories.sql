-- Names for histories, logs that show what is missing from them, and nodes that are
-- given back in instalments. sealed(...) is the checksum of its arguments, as in FORMAT.md.
-- A row that is damaged stays so: its checksum is not made anew.

-- A random name, new when the dataset is made.
ALTER TABLE datasets ADD COLUMN incarnation INTEGER;
UPDATE datasets SET incarnation = random() & 9223372036854775807;
UPDATE datasets SET checksum = sealed(
    id, name, space, next_node, revision, section_count, item_count, roots, incarnation)
  WHERE checksum = sealed(
    id, name, space, next_node, revision, section_count, item_count, roots);

-- A random name of the result, new when any section of it is placed from scratch; and the
-- version of the rules that it was laid out by: those from before are 0.
ALTER TABLE layouts ADD COLUMN incarnation INTEGER;
ALTER TABLE layouts ADD COLUMN rules INTEGER;
UPDATE layouts SET incarnation = random() & 9223372036854775807, rules = 0
  WHERE space IS NOT NULL;
UPDATE layouts SET checksum = sealed(
    id, dataset, name, configuration, space, next_node, revision, root,
    result_configuration, incarnation, rules)
  WHERE checksum = CASE WHEN result_configuration IS NULL
    THEN sealed(id, dataset, name, configuration, space, next_node, revision, root)
    ELSE sealed(
      id, dataset, name, configuration, space, next_node, revision, root,
      result_configuration) END;

-- When the batch was committed, in milliseconds since 1970; and what the dataset's
-- batches up to this one come to: operations, and bytes of payload.
ALTER TABLE log ADD COLUMN time INTEGER;
ALTER TABLE log ADD COLUMN total_operations INTEGER;
ALTER TABLE log ADD COLUMN total_bytes INTEGER;
UPDATE log SET time = 0, total_operations = totals.operations, total_bytes = totals.bytes
  FROM (
    SELECT dataset AS owner, revision AS number,
      sum(operations) OVER earlier AS operations, sum(length(payload)) OVER earlier AS bytes
    FROM log WINDOW earlier AS (PARTITION BY dataset ORDER BY revision)) AS totals
  WHERE dataset = totals.owner AND revision = totals.number;
UPDATE log SET checksum = sealed(
    dataset, revision, operations, payload, time, total_operations, total_bytes)
  WHERE checksum = sealed(dataset, revision, operations, payload);

-- The head of each dataset's log: a row behind all others, which says in place of
-- operations which revision is the last.
INSERT INTO log (
    dataset, revision, operations, payload, time, total_operations, total_bytes, checksum)
  SELECT id, 9223372036854775807, last, x'', 0, operations, bytes,
    sealed(id, 9223372036854775807, last, x'', 0, operations, bytes)
  FROM (
    SELECT id, max(datasets.revision, coalesce(max(log.revision), 0)) AS last,
      coalesce(max(log.total_operations), 0) AS operations,
      coalesce(max(log.total_bytes), 0) AS bytes
    FROM datasets LEFT JOIN log ON log.dataset = datasets.id GROUP BY datasets.id);

-- What is to be given back: nodes of a space (kind 0) or rows of a dataset's log (kind 1)
-- that nobody needs any more.
CREATE TABLE remains (
  kind INTEGER NOT NULL,
  id INTEGER NOT NULL,
  -- Of a space that is being filled: when that was last heard of, in milliseconds since
  -- 1970. NULL where nobody needs what there is.
  touched INTEGER,
  -- SipHash-1-3 of the other columns.
  checksum INTEGER NOT NULL,
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
