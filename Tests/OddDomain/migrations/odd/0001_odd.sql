-- Safe from: 1.0.0
-- Locks: nothing that exists before it
CREATE SCHEMA odd;
SELECT kernel.role_keep('learntrack_odd_guest');
GRANT USAGE ON SCHEMA odd TO learntrack_admin, learntrack_odd_guest;

CREATE TABLE odd.sheets (
    id bigserial CONSTRAINT sheets_pkey PRIMARY KEY,
    title varchar(100) NOT NULL CONSTRAINT sheets_title_check CHECK (kernel.is_visible(title)),
    field_1 integer,
    field_2 numeric(9, 3),
    field_3 boolean,
    field_4 date CONSTRAINT sheets_field_4_check CHECK (kernel.is_day(field_4)),
    field_5 time CONSTRAINT sheets_field_5_check CHECK (kernel.is_time_of_day(field_5)),
    field_6 timestamptz,
    field_7 varchar(40),
    field_8 integer,
    field_9 numeric(9, 3),
    field_10 boolean,
    field_11 date CONSTRAINT sheets_field_11_check CHECK (kernel.is_day(field_11)),
    field_12 time CONSTRAINT sheets_field_12_check CHECK (kernel.is_time_of_day(field_12)),
    field_13 timestamptz,
    field_14 varchar(40),
    field_15 integer,
    field_16 numeric(9, 3),
    field_17 boolean,
    field_18 date CONSTRAINT sheets_field_18_check CHECK (kernel.is_day(field_18)),
    field_19 time CONSTRAINT sheets_field_19_check CHECK (kernel.is_time_of_day(field_19)),
    field_20 timestamptz,
    field_21 varchar(40),
    field_22 integer,
    field_23 numeric(9, 3),
    field_24 boolean,
    field_25 date CONSTRAINT sheets_field_25_check CHECK (kernel.is_day(field_25)),
    field_26 time CONSTRAINT sheets_field_26_check CHECK (kernel.is_time_of_day(field_26)),
    field_27 timestamptz,
    field_28 varchar(40),
    field_29 integer,
    field_30 numeric(9, 3),
    field_31 boolean,
    field_32 date CONSTRAINT sheets_field_32_check CHECK (kernel.is_day(field_32)),
    field_33 time CONSTRAINT sheets_field_33_check CHECK (kernel.is_time_of_day(field_33)),
    field_34 timestamptz,
    field_35 varchar(40),
    field_36 integer,
    field_37 numeric(9, 3),
    field_38 boolean,
    field_39 date CONSTRAINT sheets_field_39_check CHECK (kernel.is_day(field_39)),
    field_40 time CONSTRAINT sheets_field_40_check CHECK (kernel.is_time_of_day(field_40)),
    field_41 timestamptz,
    field_42 varchar(40),
    field_43 integer,
    field_44 numeric(9, 3),
    field_45 boolean,
    field_46 date CONSTRAINT sheets_field_46_check CHECK (kernel.is_day(field_46)),
    field_47 time CONSTRAINT sheets_field_47_check CHECK (kernel.is_time_of_day(field_47)),
    field_48 timestamptz,
    field_49 varchar(40),
    field_50 integer,
    field_51 numeric(9, 3),
    field_52 boolean,
    field_53 date CONSTRAINT sheets_field_53_check CHECK (kernel.is_day(field_53)),
    field_54 time CONSTRAINT sheets_field_54_check CHECK (kernel.is_time_of_day(field_54)),
    field_55 timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1
);

CREATE TABLE odd.marks (
    id bigserial CONSTRAINT marks_pkey PRIMARY KEY,
    word varchar(30) NOT NULL CONSTRAINT marks_word_check CHECK (kernel.is_visible(word))
);

CREATE TABLE odd.topics (
    id bigserial CONSTRAINT topics_pkey PRIMARY KEY,
    name varchar(100) NOT NULL CONSTRAINT topics_name_check CHECK (kernel.is_visible(name)),
    parent_id bigint CONSTRAINT topics_parent_id_fkey REFERENCES odd.topics (id),
    body varchar(5000) CONSTRAINT topics_body_check CHECK (kernel.is_visible(body)),
    shade varchar(20) NOT NULL DEFAULT 'shade_1' CONSTRAINT topics_shade_check CHECK (shade ~ '^shade_[0-9]+$'),
    weights jsonb CONSTRAINT topics_weights_check CHECK (jsonb_typeof(weights) = 'array'),
    place jsonb CONSTRAINT topics_place_check CHECK (jsonb_typeof(place) = 'object'),
    step integer NOT NULL DEFAULT 1 CONSTRAINT topics_step_check CHECK (step IN (1, 2, 3)),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    version integer NOT NULL DEFAULT 1
);

CREATE TRIGGER sheets_change BEFORE UPDATE ON odd.sheets FOR EACH ROW EXECUTE FUNCTION kernel.note_change();
CREATE TRIGGER topics_change BEFORE UPDATE ON odd.topics FOR EACH ROW EXECUTE FUNCTION kernel.note_change();

CREATE INDEX sheets_title_idx ON odd.sheets (title COLLATE public.francais, id);
CREATE INDEX marks_word_idx ON odd.marks (word COLLATE public.francais, id);
CREATE INDEX topics_name_idx ON odd.topics (name COLLATE public.francais, id);
CREATE INDEX topics_parent_id_idx ON odd.topics (parent_id, id);

GRANT SELECT ON odd.sheets, odd.marks, odd.topics TO learntrack_admin;
GRANT INSERT (title, field_1, field_2, field_3, field_4, field_5, field_6, field_7, field_8, field_9, field_10, field_11, field_12, field_13, field_14, field_15, field_16, field_17, field_18, field_19, field_20, field_21, field_22, field_23, field_24, field_25, field_26, field_27, field_28, field_29, field_30, field_31, field_32, field_33, field_34, field_35, field_36, field_37, field_38, field_39, field_40, field_41, field_42, field_43, field_44, field_45, field_46, field_47, field_48, field_49, field_50, field_51, field_52, field_53, field_54, field_55),
    UPDATE (title, field_1, field_2, field_3, field_4, field_5, field_6, field_7, field_8, field_9, field_10, field_11, field_12, field_13, field_14, field_15, field_16, field_17, field_18, field_19, field_20, field_21, field_22, field_23, field_24, field_25, field_26, field_27, field_28, field_29, field_30, field_31, field_32, field_33, field_34, field_35, field_36, field_37, field_38, field_39, field_40, field_41, field_42, field_43, field_44, field_45, field_46, field_47, field_48, field_49, field_50, field_51, field_52, field_53, field_54, field_55), DELETE ON odd.sheets TO learntrack_admin;
GRANT INSERT (word), DELETE ON odd.marks TO learntrack_admin;
GRANT INSERT (name, parent_id, body, shade, weights, place, step), UPDATE (name, parent_id, body, shade, weights, place, step),
    DELETE ON odd.topics TO learntrack_admin;
GRANT USAGE ON SEQUENCE odd.sheets_id_seq, odd.marks_id_seq, odd.topics_id_seq TO learntrack_admin;
-- Guests read two columns.
GRANT SELECT (id, name, shade) ON odd.topics TO learntrack_odd_guest;
ALTER TABLE odd.sheets ENABLE ROW LEVEL SECURITY;
ALTER TABLE odd.marks ENABLE ROW LEVEL SECURITY;
ALTER TABLE odd.topics ENABLE ROW LEVEL SECURITY;
CREATE POLICY sheets_admin ON odd.sheets TO learntrack_admin USING (true);
CREATE POLICY marks_admin ON odd.marks TO learntrack_admin USING (true);
CREATE POLICY topics_admin ON odd.topics TO learntrack_admin USING (true);
CREATE POLICY topics_guest ON odd.topics FOR SELECT TO learntrack_odd_guest USING (true);

CREATE FUNCTION odd.topic_names() RETURNS TABLE (id bigint, name varchar, shade varchar)
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT t.id, t.name, t.shade FROM odd.topics AS t;
END;

SELECT kernel.journal_keep('odd.sheets'), kernel.journal_keep('odd.marks'), kernel.journal_keep('odd.topics');
SELECT kernel.feed_keep('odd.sheets'), kernel.feed_keep('odd.marks'), kernel.feed_keep('odd.topics');

INSERT INTO kernel.migrations (domain, name) VALUES ('odd', '0001_odd.sql') ON CONFLICT DO NOTHING;
