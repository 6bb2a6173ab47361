-- Behind the checkpoint that a row names, an earlier one of the same owner trails: its trees
-- can still be read. The columns are NULL where nothing trails behind. sealed(...) is the
-- checksum of its arguments, as in FORMAT.md. A row that is damaged stays so.

-- The revision; the first node number that its trees do not have; their roots; and the ids of
-- the rows of nodes that nothing else needs, in runs.
ALTER TABLE datasets ADD COLUMN trailing_revision INTEGER;
ALTER TABLE datasets ADD COLUMN trailing_next_node INTEGER;
ALTER TABLE datasets ADD COLUMN trailing_roots BLOB;
ALTER TABLE datasets ADD COLUMN trailing_nodes BLOB;
UPDATE datasets SET checksum = sealed(
    id, name, space, next_node, revision, section_count, item_count, roots, incarnation,
    NULL, NULL, NULL, NULL)
  WHERE checksum = sealed(
    id, name, space, next_node, revision, section_count, item_count, roots, incarnation);

ALTER TABLE layouts ADD COLUMN trailing_revision INTEGER;
ALTER TABLE layouts ADD COLUMN trailing_next_node INTEGER;
ALTER TABLE layouts ADD COLUMN trailing_root BLOB;
ALTER TABLE layouts ADD COLUMN trailing_nodes BLOB;
UPDATE layouts SET checksum = sealed(
    id, dataset, name, configuration, space, next_node, revision, root,
    result_configuration, incarnation, rules, NULL, NULL, NULL, NULL)
  WHERE checksum = sealed(
    id, dataset, name, configuration, space, next_node, revision, root,
    result_configuration, incarnation, rules);
