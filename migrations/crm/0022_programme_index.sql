-- The sessions of a programme. The index is apart from the column, so that reads go on while it is built.
--
-- Safe from: 1.0.0
-- Locks: sessions against writes, while an index is built: seconds for a million sessions
CREATE INDEX sessions_programme_id_idx ON public.sessions (programme_id, id);
COMMENT ON INDEX public.sessions_programme_id_idx IS 'foreign key';

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0022_programme_index.sql') ON CONFLICT DO NOTHING;
