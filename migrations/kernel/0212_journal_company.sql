-- Each entry of the journal belongs to the company of its row, or of the transaction where the row has none. Entries of before belong to
-- the company that the installation has.
--
-- Safe from: 1.0.0
-- Locks: public.journal against everything, for a moment
ALTER TABLE public.journal ADD COLUMN company_id bigint NOT NULL DEFAULT kernel.company();

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0212_journal_company.sql') ON CONFLICT DO NOTHING;
