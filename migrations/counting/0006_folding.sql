-- When the time zone or the boundary hour of a location changes, its days are folded later, some at a time: the change does
-- not wait for the history. Until then, figures fold them when they read them.
--
-- Safe from: 1.0.0
-- Locks: days against everything, for a moment

ALTER TABLE counting.days ADD COLUMN is_folded boolean NOT NULL DEFAULT true;

CREATE INDEX days_unfolded_idx ON counting.days (location_id, starts_at) WHERE NOT is_folded;
COMMENT ON INDEX counting.days_unfolded_idx IS 'the days that are to be folded';

INSERT INTO kernel.migrations (domain, name) VALUES ('counting', '0006_folding.sql') ON CONFLICT DO NOTHING;
