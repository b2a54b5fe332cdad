-- Roles of the reporting database. The password is set by psql -v.
CREATE ROLE reader;
CREATE ROLE reporting LOGIN PASSWORD :'reporting_password';
GRANT USAGE ON SCHEMA reports TO reader;
GRANT SELECT ON ALL TABLES IN SCHEMA reports TO reader;
-- GRANT ALL ON ALL TABLES IN SCHEMA reports TO PUBLIC;
GRANT reader TO reporting;
COMMENT ON ROLE reporting IS 'GRANT nothing TO PUBLIC';
