-- It reads other rows, hence stays a call: one index scan.
CREATE OR REPLACE FUNCTION public.ca_total(client public.clients) RETURNS numeric
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT coalesce(sum(s.tarif_client), 0) FROM public.sessions AS s
        WHERE s.company_id = (client).company_id AND s.client_id = (client).id
    );

SELECT kernel.note_file('crm', 'functions/ca_total.sql', 'b602cf76e1230fbd');
