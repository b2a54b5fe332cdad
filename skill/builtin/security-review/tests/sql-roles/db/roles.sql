-- Roles of the reporting database.
CREATE ROLE reader;
CREATE ROLE reporting LOGIN PASSWORD 'kT4-vienna-Lake'; -- want high "password"
GRANT USAGE ON SCHEMA reports TO reader;
GRANT ALL ON ALL TABLES IN SCHEMA reports TO PUBLIC; -- want medium "granted to everyone"
GRANT reader TO reporting;
