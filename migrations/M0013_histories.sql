-- Only layouts with a history have trailing checkpoints, as many as history needs, and rows say
-- where their history begins. The trailing checkpoints of version 9 are released, so no commit
-- from before can be undone. sealed(...) is the checksum of its arguments, as in FORMAT.md. A row
-- that is damaged stays so.

DELETE FROM nodes WHERE id IN (
  WITH RECURSIVE
  lists(nodes, first) AS (
    SELECT trailing_nodes, space << 38 FROM datasets
    WHERE trailing_nodes IS NOT NULL AND checksum = sealed(
      id, name, space, next_node, revision, section_count, item_count, roots, incarnation,
      trailing_revision, trailing_next_node, trailing_roots, trailing_nodes)
    UNION ALL
    SELECT trailing_nodes, space << 38 FROM layouts
    WHERE trailing_nodes IS NOT NULL AND checksum = sealed(
      id, dataset, name, configuration, space, next_node, revision, root, result_configuration,
      incarnation, rules, trailing_revision, trailing_next_node, trailing_root, trailing_nodes)),
  -- A list's bytes by their places.
  bytes(first, place, text) AS (
    SELECT first, 1, hex(nodes) FROM lists WHERE nodes <> x''
    UNION ALL SELECT first, place + 1, text FROM bytes WHERE place * 2 < length(text)),
  numbers(first, place, byte) AS MATERIALIZED (
    SELECT first, place,
      instr('123456789ABCDEF', substr(text, place * 2 - 1, 1)) * 16
        + instr('123456789ABCDEF', substr(text, place * 2, 1))
    FROM bytes),
  -- The runs: a gap and a count in turn, in varints of seven bits per byte. `next` is the id
  -- after what has been read.
  runs(first, place, bits, value, is_count, next, start, count) AS (
    SELECT first, 1, 0, 0, 0, first, 0, 0 FROM lists
    UNION ALL
    SELECT runs.first, runs.place + 1,
      CASE WHEN byte < 128 THEN 0 ELSE bits + 7 END,
      CASE WHEN byte < 128 THEN 0 ELSE value | ((byte & 127) << bits) END,
      CASE WHEN byte < 128 THEN 1 - is_count ELSE is_count END,
      CASE WHEN byte < 128 THEN next + (value | (byte << bits)) ELSE next END,
      next,
      CASE WHEN byte < 128 AND is_count THEN value | (byte << bits) ELSE 0 END
    FROM runs JOIN numbers ON numbers.first = runs.first AND numbers.place = runs.place),
  ids(id, rest) AS (
    SELECT start, count FROM runs WHERE count > 0
    UNION ALL SELECT id + 1, rest - 1 FROM ids WHERE rest > 1)
  SELECT id FROM ids);

-- The last commit that cannot be undone.
ALTER TABLE datasets ADD COLUMN history_begin INTEGER;
UPDATE datasets SET history_begin = revision, checksum = sealed(
    id, name, space, next_node, revision, section_count, item_count, roots, incarnation, revision)
  WHERE checksum = sealed(
    id, name, space, next_node, revision, section_count, item_count, roots, incarnation,
    trailing_revision, trailing_next_node, trailing_roots, trailing_nodes);
ALTER TABLE datasets DROP COLUMN trailing_revision;
ALTER TABLE datasets DROP COLUMN trailing_next_node;
ALTER TABLE datasets DROP COLUMN trailing_roots;
ALTER TABLE datasets DROP COLUMN trailing_nodes;

-- The revision from which on the result's history reaches, and its trailing checkpoints.
ALTER TABLE layouts ADD COLUMN history_begin INTEGER;
ALTER TABLE layouts ADD COLUMN trailing BLOB;
UPDATE layouts SET history_begin = revision, checksum = sealed(
    id, dataset, name, configuration, space, next_node, revision, root,
    result_configuration, incarnation, rules, revision, NULL)
  WHERE checksum = sealed(
    id, dataset, name, configuration, space, next_node, revision, root, result_configuration,
    incarnation, rules, trailing_revision, trailing_next_node, trailing_root, trailing_nodes);
ALTER TABLE layouts DROP COLUMN trailing_revision;
ALTER TABLE layouts DROP COLUMN trailing_next_node;
ALTER TABLE layouts DROP COLUMN trailing_root;
ALTER TABLE layouts DROP COLUMN trailing_nodes;
