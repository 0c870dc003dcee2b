-- Safe from: 1.0.0
-- Locks: nothing that exists before it
CREATE SCHEMA probe;

-- The roles of the domain, and the one that owns the functions of its commands.
SELECT kernel.role_keep('learntrack_coordinator'), kernel.role_keep('learntrack_gardener');
SELECT kernel.commands_role('probe');
GRANT USAGE ON SCHEMA probe TO learntrack_coordinator, learntrack_gardener, learntrack_probe_commands;

CREATE TABLE probe.gardeners (
    id bigserial CONSTRAINT gardeners_pkey PRIMARY KEY,
    name varchar(100) NOT NULL CONSTRAINT gardeners_name_check CHECK (kernel.is_visible(name)),
    email varchar(200) CONSTRAINT gardeners_email_key UNIQUE
        CONSTRAINT gardeners_email_check CHECK (kernel.is_email(email)),
    is_suspended boolean NOT NULL DEFAULT false,
    suspended_until timestamptz,
    welcomed_at timestamptz,
    welcome_failure text,
    hook_answer text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1
);

-- Where the programs of gardeners are. The owner of the commands alone may read it.
CREATE TABLE probe.hooks (
    gardener_id bigint CONSTRAINT hooks_pkey PRIMARY KEY
        CONSTRAINT hooks_gardener_id_fkey REFERENCES probe.gardeners (id) ON DELETE CASCADE,
    url text NOT NULL
);

CREATE TABLE probe.gardens (
    id bigserial CONSTRAINT gardens_pkey PRIMARY KEY,
    name varchar(100) NOT NULL DEFAULT 'Notre jardin' CONSTRAINT gardens_name_check CHECK (kernel.is_visible(name)),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1
);

CREATE TABLE probe.plots (
    id bigserial CONSTRAINT plots_pkey PRIMARY KEY,
    gardener_id bigint NOT NULL CONSTRAINT plots_gardener_id_fkey REFERENCES probe.gardeners (id),
    number integer NOT NULL CONSTRAINT plots_number_key UNIQUE
        CONSTRAINT plots_number_check CHECK (number BETWEEN 1 AND 999),
    name varchar(100) NOT NULL CONSTRAINT plots_name_check CHECK (kernel.is_visible(name)),
    rotation integer NOT NULL DEFAULT 3 CONSTRAINT plots_rotation_check CHECK (rotation IN (2, 3, 4)),
    labels jsonb CONSTRAINT plots_labels_check CHECK (jsonb_typeof(labels) = 'array'),
    soil jsonb CONSTRAINT plots_soil_check CHECK (jsonb_typeof(soil) = 'object'),
    garden_id bigint NOT NULL CONSTRAINT plots_garden_id_fkey REFERENCES probe.gardens (id),
    state text NOT NULL DEFAULT 'fallow'
        CONSTRAINT plots_state_check CHECK (state IN ('fallow', 'planted', 'resting')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1,
    -- What scoped children refer to: a foreign key sees the rows of every gardener.
    CONSTRAINT plots_owner_key UNIQUE (id, gardener_id)
);

CREATE TABLE probe.crops (
    id bigserial CONSTRAINT crops_pkey PRIMARY KEY,
    code varchar(20) NOT NULL CONSTRAINT crops_code_key UNIQUE
        CONSTRAINT crops_code_check CHECK (kernel.is_visible(code)),
    name varchar(100) NOT NULL CONSTRAINT crops_name_check CHECK (kernel.is_visible(name)),
    supplier_key varchar(40),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1
);

CREATE TABLE probe.plantings (
    id bigserial CONSTRAINT plantings_pkey PRIMARY KEY,
    gardener_id bigint NOT NULL CONSTRAINT plantings_gardener_id_fkey REFERENCES probe.gardeners (id),
    plot_id bigint NOT NULL,
    crop_id bigint NOT NULL CONSTRAINT plantings_crop_id_fkey REFERENCES probe.crops (id),
    quantity integer NOT NULL DEFAULT 1 CONSTRAINT plantings_quantity_check CHECK (quantity >= 1),
    planted date CONSTRAINT plantings_planted_check CHECK (planted BETWEEN '0001-01-01' AND '9999-12-31'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1,
    CONSTRAINT plantings_plot_id_fkey FOREIGN KEY (plot_id, gardener_id) REFERENCES probe.plots (id, gardener_id),
    CONSTRAINT plantings_owner_key UNIQUE (id, gardener_id)
);

CREATE TABLE probe.harvests (
    id bigserial CONSTRAINT harvests_pkey PRIMARY KEY,
    gardener_id bigint NOT NULL CONSTRAINT harvests_gardener_id_fkey REFERENCES probe.gardeners (id),
    planting_id bigint NOT NULL,
    kilos decimal(8, 2) NOT NULL CONSTRAINT harvests_kilos_check CHECK (kilos BETWEEN 0 AND 500),
    day date NOT NULL CONSTRAINT harvests_day_check CHECK (day BETWEEN '0001-01-01' AND '9999-12-31'),
    CONSTRAINT harvests_planting_id_fkey FOREIGN KEY (planting_id, gardener_id)
        REFERENCES probe.plantings (id, gardener_id) ON DELETE CASCADE
);

CREATE TABLE probe.observations (
    id bigserial CONSTRAINT observations_pkey PRIMARY KEY,
    gardener_id bigint NOT NULL CONSTRAINT observations_gardener_id_fkey REFERENCES probe.gardeners (id),
    plot_id bigint NOT NULL,
    mood integer NOT NULL CONSTRAINT observations_mood_check CHECK (mood IN (-1, 0, 1)),
    text varchar(500),
    noted_at timestamptz NOT NULL DEFAULT now(),
    blocks jsonb CONSTRAINT observations_blocks_check CHECK (jsonb_typeof(blocks) = 'array'),
    CONSTRAINT observations_plot_id_fkey FOREIGN KEY (plot_id, gardener_id) REFERENCES probe.plots (id, gardener_id)
);

CREATE TABLE probe.presences (
    id bigserial CONSTRAINT presences_pkey PRIMARY KEY,
    gardener_id bigint NOT NULL CONSTRAINT presences_gardener_id_key UNIQUE
        CONSTRAINT presences_gardener_id_fkey REFERENCES probe.gardeners (id) ON DELETE CASCADE,
    seen_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE probe.greenhouse_bookings (
    id bigserial CONSTRAINT greenhouse_bookings_pkey PRIMARY KEY,
    gardener_id bigint NOT NULL CONSTRAINT greenhouse_bookings_gardener_id_fkey REFERENCES probe.gardeners (id),
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1,
    -- A range whose end comes first cannot be made: the constraint below refuses it by its name.
    period tstzrange GENERATED ALWAYS AS (CASE WHEN ends_at > starts_at THEN tstzrange(starts_at, ends_at) END) STORED,
    CONSTRAINT greenhouse_bookings_ends_after_starts CHECK (ends_at > starts_at),
    CONSTRAINT greenhouse_bookings_overlap EXCLUDE USING gist (period WITH &&)
);

CREATE TABLE probe.seasons (
    id bigserial CONSTRAINT seasons_pkey PRIMARY KEY,
    year integer NOT NULL CONSTRAINT seasons_year_key UNIQUE,
    motto varchar(100),
    poster bigint CONSTRAINT seasons_poster_fkey REFERENCES kernel.files (id),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1
);

SELECT kernel.search_keep('probe.gardeners', 'kernel.without_accents(name)');
SELECT kernel.search_keep('probe.plots', 'kernel.without_accents(name)');

SELECT kernel.file_keep('probe.seasons', 'poster', 10000, 'image/png', 'application/pdf');
SELECT kernel.file_list_keep('probe.observations', 'blocks', 'photo', 100000, 'image/png', 'image/jpeg');
CREATE UNIQUE INDEX gardens_single_idx ON probe.gardens ((true));
CREATE INDEX plots_garden_id_idx ON probe.plots (garden_id, id);
CREATE INDEX seasons_poster_idx ON probe.seasons (poster);
CREATE INDEX gardeners_name_idx ON probe.gardeners (name COLLATE public.francais, id);
CREATE INDEX plots_gardener_id_idx ON probe.plots (gardener_id, id);
CREATE INDEX plantings_gardener_id_idx ON probe.plantings (gardener_id, id);
CREATE INDEX plantings_plot_id_idx ON probe.plantings (plot_id, id);
CREATE INDEX plantings_crop_id_idx ON probe.plantings (crop_id, id);
CREATE INDEX harvests_gardener_id_idx ON probe.harvests (gardener_id, id);
CREATE INDEX harvests_planting_id_idx ON probe.harvests (planting_id, id);
CREATE INDEX harvests_day_idx ON probe.harvests (day);
CREATE INDEX observations_gardener_id_idx ON probe.observations (gardener_id, id);
CREATE INDEX observations_plot_id_idx ON probe.observations (plot_id, id);
CREATE INDEX greenhouse_bookings_gardener_id_idx ON probe.greenhouse_bookings (gardener_id, id);
CREATE INDEX greenhouse_bookings_starts_at_idx ON probe.greenhouse_bookings (starts_at, id);

DO $$
DECLARE
    kept text;
BEGIN
    FOREACH kept IN ARRAY ARRAY['gardeners', 'plots', 'crops', 'plantings', 'greenhouse_bookings', 'seasons', 'gardens'] LOOP
        EXECUTE format(
            'CREATE TRIGGER %1$s_change BEFORE UPDATE ON probe.%1$I FOR EACH ROW EXECUTE FUNCTION kernel.note_change()',
            kept);
        PERFORM kernel.journal_keep(
            format('probe.%I', kept)::regclass, VARIADIC CASE WHEN kept = 'crops' THEN '{supplier_key}' ELSE '{}' END::text[]);
    END LOOP;
END
$$;

-- Every written table shows in the change feed but the presences, which change all the time.
SELECT kernel.feed_keep('probe.gardeners', 'id');
SELECT kernel.feed_keep('probe.plots', 'gardener_id');
SELECT kernel.feed_keep('probe.crops');
SELECT kernel.feed_keep('probe.plantings', 'gardener_id');
SELECT kernel.feed_keep('probe.observations', 'gardener_id');
SELECT kernel.feed_keep('probe.greenhouse_bookings', 'gardener_id');
SELECT kernel.feed_keep('probe.seasons');
SELECT kernel.feed_keep('probe.gardens');

INSERT INTO kernel.migrations (domain, name) VALUES ('probe', '0001_gardens.sql') ON CONFLICT DO NOTHING;
