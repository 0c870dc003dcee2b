-- The signatures of the documents of a record are found without reading all of them.
--
-- Safe from: 1.0.0
-- Locks: kernel.signatures against writes, for a moment

-- What kernel.record_id answers.
CREATE INDEX signatures_record_id_idx ON kernel.signatures
    ((CASE WHEN params ->> 'id' ~ '^[0-9]{1,18}$' THEN (params ->> 'id')::bigint END));

COMMENT ON INDEX kernel.signatures_record_id_idx IS 'the signatures of the documents of a record';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0173_signature_records.sql') ON CONFLICT DO NOTHING;
