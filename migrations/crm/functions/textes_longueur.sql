-- Refuses texts of more characters than documents and pages have room for, as a check of the column would. A trigger, because
-- longer ones that an earlier version took stay until they are changed.
CREATE OR REPLACE FUNCTION public.textes_longueur() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RAISE EXCEPTION 'the text of % is too long', TG_ARGV[0]
        USING ERRCODE = 'check_violation', SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, COLUMN = TG_ARGV[0],
            CONSTRAINT = TG_TABLE_NAME || '_' || TG_ARGV[0] || '_check';
END
$$;

DO $$
DECLARE
    texte record;
BEGIN
    FOR texte IN
        SELECT * FROM (VALUES
            ('organisme', 'clauses_convention', 20000), ('organisme', 'clauses_sous_traitance', 20000),
            ('organisme', 'reglement', 20000), ('relances', 'note', 20000)
        ) AS t (relation, colonne, limite)
    LOOP
        EXECUTE format(
            'CREATE OR REPLACE TRIGGER %1$s_%2$s_longueur BEFORE INSERT ON public.%1$I
                FOR EACH ROW WHEN (length(NEW.%2$I) > %3$s) EXECUTE FUNCTION public.textes_longueur(%2$L)',
            texte.relation, texte.colonne, texte.limite);
        EXECUTE format(
            'CREATE OR REPLACE TRIGGER %1$s_%2$s_longueur_change BEFORE UPDATE OF %2$I ON public.%1$I
                FOR EACH ROW WHEN (length(NEW.%2$I) > %3$s AND NEW.%2$I IS DISTINCT FROM OLD.%2$I)
                EXECUTE FUNCTION public.textes_longueur(%2$L)',
            texte.relation, texte.colonne, texte.limite);
    END LOOP;
END
$$;

SELECT kernel.note_file('crm', 'functions/textes_longueur.sql', 'bf3e03bcd28bd9eb');
