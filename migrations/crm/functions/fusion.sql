-- The values of a record that absorbs another of its table: its own, those of the other where its own are blank, and
-- `donnees`, which a call gives, in the place of both.
CREATE OR REPLACE FUNCTION public.fusion(garde jsonb, absorbe jsonb, donnees jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
        SELECT garde || coalesce(jsonb_object_agg(autre.key, autre.value), '{}') || coalesce(donnees, '{}')
        FROM jsonb_each(absorbe) AS autre
        WHERE NOT kernel.is_visible(coalesce(garde ->> autre.key, ''));
    END;

SELECT kernel.note_file('crm', 'functions/fusion.sql', '95782d4a7f2c5d28');
