-- The record that has absorbed another; null if none has.
CREATE OR REPLACE FUNCTION public.clients_fusionne_dans(absorbe bigint) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT f.fusionne_dans FROM public.clients_fusionnes AS f
        WHERE f.company_id = kernel.company() AND f.id = absorbe
    );

CREATE OR REPLACE FUNCTION public.formateurs_fusionne_dans(absorbe bigint) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT f.fusionne_dans FROM public.formateurs_fusionnes AS f
        WHERE f.company_id = kernel.company() AND f.id = absorbe
    );

CREATE OR REPLACE FUNCTION public.ecoles_fusionne_dans(absorbe bigint) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT f.fusionne_dans FROM public.ecoles_fusionnes AS f
        WHERE f.company_id = kernel.company() AND f.id = absorbe
    );

REVOKE EXECUTE ON FUNCTION public.clients_fusionne_dans(bigint), public.formateurs_fusionne_dans(bigint),
    public.ecoles_fusionne_dans(bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.clients_fusionne_dans(bigint), public.formateurs_fusionne_dans(bigint),
    public.ecoles_fusionne_dans(bigint) TO learntrack_user, learntrack_admin;

SELECT kernel.note_file('crm', 'functions/fusionne_dans.sql', '287f4f4bfd5f754f');
