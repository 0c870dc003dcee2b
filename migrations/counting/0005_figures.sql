-- The rows of the views counter_kpis, counter_charts and counter_issues. They have columns with the names of the views'
-- parameters, hence they are types: RETURNS TABLE refuses such a name.
--
-- Safe from: 1.0.0
-- Locks: entries against writes, while an index is built: it is new and empty

-- What is computed of any interval, and of its buckets: hours, operational days, or months of these.
CREATE TYPE counting.figures AS (
    total_in bigint,
    total_out bigint,
    net bigint,
    peak_occupancy bigint,
    peak_at timestamptz,
    peak_bucket timestamptz,
    peak_flow bigint,
    peak_flow_bucket timestamptz,
    average_occupancy numeric,
    closing_count bigint
);

CREATE TYPE counting.kpis AS (
    id bigint,
    location_id bigint,
    period_start timestamptz,
    period_end timestamptz,
    granularity text,
    total_in bigint,
    total_out bigint,
    net bigint,
    peak_occupancy bigint,
    peak_at timestamptz,
    peak_bucket timestamptz,
    peak_flow bigint,
    peak_flow_bucket timestamptz,
    average_occupancy numeric,
    closing_count bigint,
    previous_start timestamptz,
    previous_end timestamptz,
    previous_total_in bigint,
    previous_total_out bigint,
    previous_net bigint,
    previous_peak_occupancy bigint,
    previous_peak_flow bigint,
    previous_average_occupancy numeric,
    change_total_in bigint,
    change_total_out bigint,
    change_net bigint,
    change_peak_occupancy bigint,
    change_peak_flow bigint,
    change_average_occupancy numeric
);

CREATE TYPE counting.chart_bucket AS (
    id bigint,
    location_id bigint,
    bucket_start timestamptz,
    bucket_end timestamptz,
    operational_day date,
    total_in bigint,
    total_out bigint,
    net bigint,
    flow bigint,
    peak_occupancy bigint,
    average_occupancy numeric,
    closing_count bigint
);

CREATE TYPE counting.issue AS (
    id bigint,
    location_id bigint,
    kind text,
    device_id bigint,
    starts_at timestamptz,
    ends_at timestamptz,
    value bigint,
    detail text
);

-- The entries that counter_issues lists or counts: few of all.
CREATE INDEX entries_issues_idx ON counting.entries (location_id, "timestamp")
    WHERE missing_before > 0 OR sequence_reset OR clock_skew OR gateway_conflict;

INSERT INTO kernel.migrations (domain, name) VALUES ('counting', '0005_figures.sql') ON CONFLICT DO NOTHING;
