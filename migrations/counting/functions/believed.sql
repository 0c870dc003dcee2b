-- The instant of an event by the clocks of its device and its gateway: that of the device if it is believed, else that of the
-- gateway, else that of the server, and at most the present time. `is_skewed`: a clock was asked and not believed.
--
-- It returns a set so that Postgres puts its body in the place of a call.
CREATE OR REPLACE FUNCTION counting.believed(
    device_timestamp timestamptz, gateway_timestamp timestamptz, present timestamptz)
    RETURNS TABLE ("timestamp" timestamptz, source text, is_skewed boolean)
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT
        CASE c.source
            WHEN 'device' THEN least(believed.device_timestamp, believed.present)
            WHEN 'gateway' THEN least(believed.gateway_timestamp, believed.present)
            ELSE believed.present
        END,
        c.source,
        c.source <> CASE WHEN believed.device_timestamp IS NULL THEN 'gateway' ELSE 'device' END
    FROM (
        SELECT
            CASE
                -- Two comparisons in this order: an interval cannot be added to an instant that is too far off.
                WHEN CASE
                    WHEN believed.device_timestamp
                        BETWEEN believed.present - interval '400 days' AND believed.present + interval '60 seconds'
                    THEN believed.gateway_timestamp
                        BETWEEN believed.device_timestamp - interval '300 seconds'
                        AND believed.device_timestamp + interval '300 seconds'
                END THEN 'device'
                WHEN believed.gateway_timestamp
                    BETWEEN believed.present - interval '400 days' AND believed.present + interval '60 seconds'
                THEN 'gateway'
                ELSE 'server'
            END AS source
    ) AS c;
END;

REVOKE EXECUTE ON FUNCTION counting.believed(timestamptz, timestamptz, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION counting.believed(timestamptz, timestamptz, timestamptz) TO learntrack_counting_commands;

SELECT kernel.note_file('counting', 'functions/believed.sql', 'e43abf3a329ba5f4');
