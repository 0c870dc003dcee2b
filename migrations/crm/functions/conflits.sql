-- The pairs of sessions of one trainer that overlap, on the days from `du` to `au`: first the one that begins first, or that
-- has the lower id.
--
-- The id is a hash of the two ids, so that it stays the same when other sessions change. It is below 2^53: JavaScript reads
-- a greater number rounded.
CREATE OR REPLACE FUNCTION public.conflits(du date, au date)
    RETURNS TABLE (id bigint, session_id bigint, autre_id bigint, formateur_id bigint, date date, minutes integer)
    LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
    SELECT
        ('x' || left(
            encode(sha256(int8send(least(s.id, autre.id)) || int8send(greatest(s.id, autre.id))), 'hex'), 14)
        )::bit(56)::bigint % 9007199254740991 + 1,
        s.id,
        autre.id,
        s.formateur_id,
        s.date,
        floor(extract(epoch FROM least(s.fin, autre.fin) - autre.debut) / 60)::integer
    FROM public.sessions AS s
    JOIN public.sessions AS autre
        ON autre.company_id = kernel.company() AND autre.formateur_id = s.formateur_id AND autre.date = s.date
        AND (autre.debut, autre.id) > (s.debut, s.id) AND autre.debut < s.fin
    WHERE s.company_id = kernel.company() AND s.date BETWEEN conflits.du AND conflits.au
        AND autre.date BETWEEN conflits.du AND conflits.au;
END;

REVOKE EXECUTE ON FUNCTION public.conflits(date, date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.conflits(date, date) TO learntrack_user, learntrack_admin;

SELECT kernel.note_file('crm', 'functions/conflits.sql', '518272fce9efd3c7');
