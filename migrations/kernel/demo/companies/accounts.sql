-- The second company of the demo data, and its members: an administrator of its own, and the administrator of the first company, who
-- enters records here. Not a migration: `learntrack seed --companies` runs it before the files of the domains, in one transaction with
-- them, which acts in this company from here on. It adds nobody to a company that is there.
--
-- Both passwords are `demo-learntrack` (yescrypt).

SET client_encoding = 'UTF8';

DO $demo$
DECLARE
    -- By its administrator, who may have renamed it.
    second bigint := (
        SELECT min(u.company_id) FROM public.users AS u WHERE lower(u.email) = 'rivage@demo.learntrack.fr' AND u.company_id <> 1);
BEGIN
IF second IS NULL THEN
    -- As the migrations have named it. Rivage comes after it: signing in without a company leads to the first one, as before.
    UPDATE kernel.companies AS c SET name = 'Cap Savoirs' WHERE c.id = 1 AND c.name = 'LearnTrack';
    SELECT made.company INTO second
    FROM kernel.companies_add(
        'Rivage Formation', 'rivage@demo.learntrack.fr',
        '$y$j9T$LearnTrackDemoRive1/$pDfJN2vIk2hMDVWNnX3RZwXG3QzW5kiU6Cdq5TjVcU7', false) AS made;
    UPDATE public.users AS u SET username = 'Maël Responsable' WHERE u.company_id = second;
    INSERT INTO public.users (company_id, username, email, role)
    SELECT second, u.username, u.email, 'user' FROM public.users AS u
    WHERE u.company_id = 1 AND lower(u.email) = 'admin@demo.learntrack.fr';
END IF;
PERFORM set_config('learntrack.company', second::text, true);
END
$demo$;
