-- The locations, their devices, what the devices have counted, and the state and the snapshots of each location.
--
-- Safe from: 1.0.0
-- Locks: users against writes, for a moment; all else is new

CREATE TABLE counting.locations (
    id bigserial CONSTRAINT locations_pkey PRIMARY KEY,
    name varchar(200) NOT NULL CONSTRAINT locations_name_check CHECK (kernel.is_visible(name)),
    max_capacity integer NOT NULL CONSTRAINT locations_max_capacity_check CHECK (max_capacity BETWEEN 1 AND 1000000),
    -- A name of pg_timezone_names; a trigger checks it.
    timezone text NOT NULL,
    operational_boundary_hour smallint NOT NULL DEFAULT 12
        CONSTRAINT locations_operational_boundary_hour_check CHECK (operational_boundary_hour BETWEEN 0 AND 23),
    stale_after_seconds integer NOT NULL DEFAULT 300
        CONSTRAINT locations_stale_after_seconds_check CHECK (stale_after_seconds >= 1),
    gateway_lease_seconds integer NOT NULL DEFAULT 60
        CONSTRAINT locations_gateway_lease_seconds_check CHECK (gateway_lease_seconds >= 1),
    created_at timestamptz NOT NULL DEFAULT now() CONSTRAINT locations_created_at_check CHECK (kernel.is_instant(created_at)),
    updated_at timestamptz NOT NULL DEFAULT now() CONSTRAINT locations_updated_at_check CHECK (kernel.is_instant(updated_at)),
    version integer NOT NULL DEFAULT 1 CONSTRAINT locations_version_check CHECK (version >= 1)
);

-- The first override of a location makes its manual device.
CREATE TABLE counting.devices (
    id bigserial CONSTRAINT devices_pkey PRIMARY KEY,
    location_id bigint NOT NULL CONSTRAINT devices_location_id_fkey REFERENCES counting.locations (id),
    name varchar(200) NOT NULL CONSTRAINT devices_name_check CHECK (kernel.is_visible(name)),
    kind text NOT NULL DEFAULT 'hardware'
        CONSTRAINT devices_kind_check CHECK (kind IN ('hardware', 'simulator', 'manual')),
    is_active boolean NOT NULL DEFAULT true,
    -- Without its manual device, a location could be neither corrected nor closed.
    CONSTRAINT devices_manual_active CHECK (kind <> 'manual' OR is_active),
    created_at timestamptz NOT NULL DEFAULT now() CONSTRAINT devices_created_at_check CHECK (kernel.is_instant(created_at)),
    updated_at timestamptz NOT NULL DEFAULT now() CONSTRAINT devices_updated_at_check CHECK (kernel.is_instant(updated_at)),
    version integer NOT NULL DEFAULT 1 CONSTRAINT devices_version_check CHECK (version >= 1)
);

-- The calls of a device, apart from the device: they leave its version alone. A trigger makes the row with the device. Commands
-- lock it, so that two calls of a device take turns.
CREATE TABLE counting.device_presences (
    device_id bigint CONSTRAINT device_presences_pkey PRIMARY KEY
        CONSTRAINT device_presences_device_id_fkey REFERENCES counting.devices (id) ON DELETE CASCADE,
    last_heartbeat_at timestamptz
        CONSTRAINT device_presences_last_heartbeat_at_check CHECK (kernel.is_instant(last_heartbeat_at)),
    last_seen_at timestamptz CONSTRAINT device_presences_last_seen_at_check CHECK (kernel.is_instant(last_seen_at))
) WITH (fillfactor = 50);

-- The checks of times are plain comparisons, which cost less than a function; three days at either end leave room for the day of an
-- entry in every time zone.
CREATE TABLE counting.entries (
    id bigserial CONSTRAINT entries_pkey PRIMARY KEY,
    location_id bigint NOT NULL CONSTRAINT entries_location_id_fkey REFERENCES counting.locations (id),
    device_id bigint NOT NULL CONSTRAINT entries_device_id_fkey REFERENCES counting.devices (id),
    user_id bigint CONSTRAINT entries_user_id_fkey REFERENCES public.users (id),
    "timestamp" timestamptz NOT NULL CONSTRAINT entries_timestamp_check
        CHECK ("timestamp" >= '0001-01-04 00:00:00+00' AND "timestamp" < '9999-12-29 00:00:00+00'),
    delta smallint NOT NULL CONSTRAINT entries_delta_check CHECK (delta IN (-1, 1)),
    source text NOT NULL CONSTRAINT entries_source_check CHECK (source IN ('hardware', 'simulator', 'manual')),
    series integer NOT NULL DEFAULT 1 CONSTRAINT entries_series_check CHECK (series >= 1),
    sequence_number bigint NOT NULL CONSTRAINT entries_sequence_number_check CHECK (sequence_number >= 0),
    device_timestamp timestamptz CONSTRAINT entries_device_timestamp_check
        CHECK (device_timestamp >= '0001-01-01 00:00:00+00' AND device_timestamp < '10000-01-01 00:00:00+00'),
    gateway_timestamp timestamptz CONSTRAINT entries_gateway_timestamp_check
        CHECK (gateway_timestamp >= '0001-01-01 00:00:00+00' AND gateway_timestamp < '10000-01-01 00:00:00+00'),
    timestamp_source text NOT NULL DEFAULT 'server'
        CONSTRAINT entries_timestamp_source_check CHECK (timestamp_source IN ('device', 'gateway', 'server')),
    gateway_session_id varchar(64),
    missing_before bigint NOT NULL DEFAULT 0 CONSTRAINT entries_missing_before_check CHECK (missing_before >= 0),
    sequence_reset boolean NOT NULL DEFAULT false,
    clock_skew boolean NOT NULL DEFAULT false,
    gateway_conflict boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now() CONSTRAINT entries_created_at_check
        CHECK (created_at >= '0001-01-01 00:00:00+00' AND created_at < '10000-01-01 00:00:00+00'),
    updated_at timestamptz NOT NULL DEFAULT now() CONSTRAINT entries_updated_at_check
        CHECK (updated_at >= '0001-01-01 00:00:00+00' AND updated_at < '10000-01-01 00:00:00+00'),
    version integer NOT NULL DEFAULT 1 CONSTRAINT entries_version_check CHECK (version >= 1),
    CONSTRAINT entries_sequence_number_key UNIQUE (device_id, series, sequence_number)
);

-- One for each location, with its id; a trigger makes it with the location. Its row is the lock on what is counted there.
CREATE TABLE counting.counter_states (
    id bigserial CONSTRAINT counter_states_pkey PRIMARY KEY,
    location_id bigint NOT NULL CONSTRAINT counter_states_location_id_key UNIQUE
        CONSTRAINT counter_states_location_id_fkey REFERENCES counting.locations (id) ON DELETE CASCADE,
    last_device_seen_at timestamptz
        CONSTRAINT counter_states_last_device_seen_at_check CHECK (kernel.is_instant(last_device_seen_at)),
    gateway_session_id varchar(64),
    gateway_seen_at timestamptz CONSTRAINT counter_states_gateway_seen_at_check CHECK (kernel.is_instant(gateway_seen_at)),
    gateway_conflict_at timestamptz
        CONSTRAINT counter_states_gateway_conflict_at_check CHECK (kernel.is_instant(gateway_conflict_at)),
    -- The operational day at which counter_snapshots.close_days has arrived.
    noted_day date,
    -- The transaction that has changed the row last: a transaction that writes several times is one change in the feed.
    touched_in xid8,
    created_at timestamptz NOT NULL DEFAULT now()
        CONSTRAINT counter_states_created_at_check CHECK (kernel.is_instant(created_at)),
    updated_at timestamptz NOT NULL DEFAULT now()
        CONSTRAINT counter_states_updated_at_check CHECK (kernel.is_instant(updated_at)),
    version integer NOT NULL DEFAULT 1 CONSTRAINT counter_states_version_check CHECK (version >= 1)
) WITH (fillfactor = 50);

CREATE TABLE counting.counter_snapshots (
    id bigserial CONSTRAINT counter_snapshots_pkey PRIMARY KEY,
    location_id bigint NOT NULL
        CONSTRAINT counter_snapshots_location_id_fkey REFERENCES counting.locations (id) ON DELETE CASCADE,
    operational_day date NOT NULL
        CONSTRAINT counter_snapshots_operational_day_check CHECK (operational_day BETWEEN '0001-01-01' AND '9999-12-31'),
    starts_at timestamptz NOT NULL CONSTRAINT counter_snapshots_starts_at_check CHECK (kernel.is_instant(starts_at)),
    ends_at timestamptz NOT NULL CONSTRAINT counter_snapshots_ends_at_check CHECK (kernel.is_instant(ends_at)),
    reason text NOT NULL CONSTRAINT counter_snapshots_reason_check CHECK (reason IN ('day_end', 'admin')),
    closing_count integer NOT NULL CONSTRAINT counter_snapshots_closing_count_check CHECK (closing_count >= 0),
    total_in bigint NOT NULL CONSTRAINT counter_snapshots_total_in_check CHECK (total_in >= 0),
    total_out bigint NOT NULL CONSTRAINT counter_snapshots_total_out_check CHECK (total_out >= 0),
    peak_occupancy integer NOT NULL CONSTRAINT counter_snapshots_peak_occupancy_check CHECK (peak_occupancy >= 0),
    average_occupancy numeric(12, 2) NOT NULL
        CONSTRAINT counter_snapshots_average_occupancy_check CHECK (average_occupancy >= 0 AND average_occupancy <> 'NaN'),
    user_id bigint CONSTRAINT counter_snapshots_user_id_fkey REFERENCES public.users (id),
    created_at timestamptz NOT NULL DEFAULT now()
        CONSTRAINT counter_snapshots_created_at_check CHECK (kernel.is_instant(created_at)),
    updated_at timestamptz NOT NULL DEFAULT now()
        CONSTRAINT counter_snapshots_updated_at_check CHECK (kernel.is_instant(updated_at)),
    version integer NOT NULL DEFAULT 1 CONSTRAINT counter_snapshots_version_check CHECK (version >= 1)
);

CREATE TRIGGER locations_change BEFORE UPDATE ON counting.locations
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();
CREATE TRIGGER devices_change BEFORE UPDATE ON counting.devices
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();
CREATE TRIGGER entries_change BEFORE UPDATE ON counting.entries
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();
CREATE TRIGGER counter_states_change BEFORE UPDATE ON counting.counter_states
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();
CREATE TRIGGER counter_snapshots_change BEFORE UPDATE ON counting.counter_snapshots
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();

CREATE INDEX locations_name_idx ON counting.locations (name COLLATE public.francais, id);
CREATE UNIQUE INDEX devices_manual_key ON counting.devices (location_id) WHERE kind = 'manual';
CREATE INDEX devices_name_idx ON counting.devices (name COLLATE public.francais, id);
CREATE INDEX devices_location_id_idx ON counting.devices (location_id, id);
CREATE INDEX entries_location_id_idx ON counting.entries (location_id, "timestamp", id) INCLUDE (delta);
CREATE INDEX entries_device_id_idx ON counting.entries (device_id, "timestamp", id);
CREATE INDEX entries_sequence_number_idx ON counting.entries (device_id, sequence_number, "timestamp");
CREATE INDEX entries_gateway_timestamp_idx ON counting.entries (device_id, sequence_number, gateway_timestamp)
    WHERE gateway_timestamp IS NOT NULL;
CREATE INDEX entries_timestamp_idx ON counting.entries ("timestamp", id);
CREATE INDEX entries_user_id_idx ON counting.entries (user_id, id) WHERE user_id IS NOT NULL;
-- Postgres is to expect few entries of a device and of a location. If it expects many of them, it looks for the last one in the
-- default order, and passes over all entries of the others when the device has none.
ALTER TABLE counting.entries
    ALTER COLUMN location_id SET (n_distinct = 10000), ALTER COLUMN device_id SET (n_distinct = 10000);
CREATE INDEX counter_snapshots_location_id_idx ON counting.counter_snapshots (location_id, id);
CREATE UNIQUE INDEX counter_snapshots_day_end_key
    ON counting.counter_snapshots (location_id, operational_day) WHERE reason = 'day_end';
CREATE INDEX counter_snapshots_user_id_idx ON counting.counter_snapshots (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX counter_snapshots_starts_at_idx ON counting.counter_snapshots (starts_at, id);

COMMENT ON INDEX counting.locations_pkey IS 'primary key';
COMMENT ON INDEX counting.locations_name_idx IS 'default order';
COMMENT ON INDEX counting.devices_pkey IS 'primary key';
COMMENT ON INDEX counting.devices_name_idx IS 'default order';
COMMENT ON INDEX counting.devices_location_id_idx IS 'foreign key';
COMMENT ON INDEX counting.device_presences_pkey IS 'primary key, foreign key';
COMMENT ON INDEX counting.entries_pkey IS 'primary key';
COMMENT ON INDEX counting.entries_location_id_idx IS 'foreign key; the order in which the entries of a location count';
COMMENT ON INDEX counting.entries_device_id_idx IS 'foreign key; the last event of a device';
COMMENT ON INDEX counting.entries_sequence_number_idx IS 'duplicates by their time, in any series';
COMMENT ON INDEX counting.entries_gateway_timestamp_idx IS 'duplicates by the timestamps as sent, in any series';
COMMENT ON INDEX counting.entries_sequence_number_key IS 'unique: a number once in a series; the highest number of the last series';
COMMENT ON INDEX counting.entries_timestamp_idx IS 'default order';
COMMENT ON INDEX counting.entries_user_id_idx IS 'foreign key';
COMMENT ON INDEX counting.counter_states_pkey IS 'primary key, default order';
COMMENT ON INDEX counting.counter_states_location_id_key IS 'unique: a state for each location; foreign key';
COMMENT ON INDEX counting.counter_snapshots_pkey IS 'primary key';
COMMENT ON INDEX counting.counter_snapshots_location_id_idx IS 'foreign key';
COMMENT ON INDEX counting.counter_snapshots_day_end_key IS 'unique: a day ends once';
COMMENT ON INDEX counting.counter_snapshots_user_id_idx IS 'foreign key';
COMMENT ON INDEX counting.counter_snapshots_starts_at_idx IS 'default order';

INSERT INTO kernel.migrations (domain, name) VALUES ('counting', '0002_tables.sql') ON CONFLICT DO NOTHING;
