CREATE OR REPLACE FUNCTION public.nom_complet(formateur public.formateurs) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (formateur).prenom || ' ' || (formateur).nom;

SELECT kernel.note_file('crm', 'functions/nom_complet.sql', 'd0c3cc22a7f79155');
