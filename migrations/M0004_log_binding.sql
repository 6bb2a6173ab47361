-- The binding of a write-ahead log to its file. The first commit of each log writes it, with a new
-- `user_version`, the log's number.

-- A random number, new when a copy becomes a database.
ALTER TABLE database ADD COLUMN identity INTEGER NOT NULL DEFAULT 0;
-- The inode of the file for which the log was begun.
ALTER TABLE database ADD COLUMN inode INTEGER NOT NULL DEFAULT 0;
-- The number in the header on the disk when the log was begun.
ALTER TABLE database ADD COLUMN previous_number INTEGER NOT NULL DEFAULT 0;
