-- A layout's result stays readable after its configuration has changed, until the new
-- one has been laid out: the configuration that the result was made with, NULL where
-- it is the present one.

ALTER TABLE layouts ADD COLUMN result_configuration TEXT;
