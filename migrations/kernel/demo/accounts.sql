-- Demo accounts. Not a migration: `learntrack seed` runs it before the demo data of the domains, and so does psql. It adds
-- no accounts to a database that holds data: one with entries in the journal that are not of accounts.
--
-- Both accounts have the password `demo-learntrack` (yescrypt).

SET client_encoding = 'UTF8';

DO $demo$
BEGIN
IF EXISTS (SELECT FROM public.journal WHERE table_name <> 'users') THEN
    RAISE NOTICE 'the database holds data already: no demo accounts added';
    RETURN;
END IF;

INSERT INTO public.users (username, email, role)
SELECT username, email, role
FROM (
    VALUES
        ('Claire Administratrice', 'admin@demo.learntrack.fr', 'admin'),
        ('Louis Utilisateur', 'user@demo.learntrack.fr', 'user')
) AS compte (username, email, role)
WHERE NOT EXISTS (SELECT FROM public.users AS u WHERE lower(u.email) = compte.email);

INSERT INTO public.credentials (user_id, password_hash)
SELECT u.id, secret.password_hash
FROM (
    VALUES
        ('admin@demo.learntrack.fr', '$y$j9T$LearnTrackDemoSalt1/$lqaSgtYhUbZrBJH6LTPr1Q0VtzxYMrmVgG50/Zskew6'),
        ('user@demo.learntrack.fr', '$y$j9T$LearnTrackDemoUser1/$szCu9MxRuckURCHKN4g/ImJtod1oSw9Hj31Qc8DPB.9')
) AS secret (email, password_hash)
JOIN public.users AS u ON lower(u.email) = secret.email
ON CONFLICT DO NOTHING;
END
$demo$;
