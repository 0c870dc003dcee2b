-- Administrators see the jobs, and run one at once.
--
-- Safe from: 1.0.0
-- Locks: the jobs against everything, for a moment

ALTER TABLE kernel.jobs ADD COLUMN id bigserial CONSTRAINT jobs_id_key UNIQUE;

COMMENT ON INDEX kernel.jobs_id_key IS 'unique: the number by which calls name a job; default order';

GRANT SELECT ON kernel.jobs TO learntrack_admin;
CREATE POLICY jobs_admin ON kernel.jobs FOR SELECT TO learntrack_admin USING (true);

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0203_readable_jobs.sql') ON CONFLICT DO NOTHING;
