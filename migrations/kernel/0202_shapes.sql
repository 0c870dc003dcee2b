-- Shapes that tables of every domain need: days, times of day, amounts. A constraint that calls one is short, and Postgres
-- reads and plans every constraint of a table anew for each statement that writes to it: the three amounts, two times
-- and one day of a session, spelled out, took a seventh of the work of its insert.
--
-- Safe from: 1.0.0
-- Locks: kernel.changes and journal against everything, for a moment

-- Whether `2026-01-12` and its like can write the day: `infinity` and years of more than four digits cannot be.
CREATE FUNCTION kernel.is_day(value date) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN value BETWEEN '0001-01-01' AND '9999-12-31';
END
$$;

-- Whether the time is before midnight comes again, in whole seconds.
CREATE FUNCTION kernel.is_time_of_day(value time) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN value < '24:00' AND value = value::time(0);
END
$$;

-- Whether the number is not negative. NaN counts as greater than every number: `>= 0` alone would take it.
CREATE FUNCTION kernel.is_amount(value numeric) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
AS $$
BEGIN
    RETURN value >= 0 AND value <> 'NaN';
END
$$;

-- Only the kernel's triggers write to these two, and the constraints took a twentieth of the work of every write.
ALTER TABLE public.journal DROP CONSTRAINT journal_operation_check;
ALTER TABLE kernel.changes DROP CONSTRAINT changes_row_id;

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0202_shapes.sql') ON CONFLICT DO NOTHING;
