-- What bounds need to know without counting rows. sealed(...) is the checksum of its arguments, as
-- in FORMAT.md. A row that is damaged stays so.

-- The datasets of the file, and the layouts of each dataset.
CREATE TABLE counts (
  -- A dataset's id, for its layouts; 0 for the datasets.
  dataset INTEGER PRIMARY KEY,
  count INTEGER NOT NULL
) STRICT;
INSERT INTO counts SELECT 0, count(*) FROM datasets;
INSERT INTO counts SELECT dataset, count(*) FROM layouts GROUP BY dataset;

CREATE TRIGGER datasets_counted AFTER INSERT ON datasets BEGIN
  UPDATE counts SET count = count + 1 WHERE dataset = 0;
END;
CREATE TRIGGER datasets_discounted AFTER DELETE ON datasets BEGIN
  UPDATE counts SET count = count - 1 WHERE dataset = 0;
  DELETE FROM counts WHERE dataset = old.id;
END;
CREATE TRIGGER layouts_counted AFTER INSERT ON layouts BEGIN
  INSERT INTO counts VALUES (new.dataset, 1) ON CONFLICT (dataset) DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER layouts_discounted AFTER DELETE ON layouts BEGIN
  UPDATE counts SET count = count - 1 WHERE dataset = old.dataset;
END;

-- Where an answer ends if those to a dataset are laid end to end, in the order in which they were
-- given; NULL without an answer.
ALTER TABLE requests ADD COLUMN answer_end INTEGER;
UPDATE requests SET answer_end = ends.answer_end, checksum = sealed(
    dataset, owner, key, body_hash, revision, answer, time, ends.answer_end)
  FROM (
    SELECT rowid AS request, CASE WHEN answer IS NULL THEN NULL ELSE
        sum(length(answer)) OVER (PARTITION BY dataset ORDER BY time, rowid) END AS answer_end
      FROM requests
  ) AS ends
  WHERE requests.rowid = ends.request AND checksum = sealed(
    dataset, owner, key, body_hash, revision, answer, time);
CREATE INDEX requests_by_answer ON requests (dataset, answer_end) WHERE answer_end IS NOT NULL;
