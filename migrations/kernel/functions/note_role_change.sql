-- The journal, the change feed and the bookkeeping of account_roles.
SELECT kernel.journal_keep('public.account_roles');
SELECT kernel.feed_keep('public.account_roles');

CREATE OR REPLACE TRIGGER account_roles_change BEFORE UPDATE ON public.account_roles
    FOR EACH ROW EXECUTE FUNCTION kernel.note_change();

SELECT kernel.note_file('kernel', 'functions/note_role_change.sql', '16ea18c02a864d37');
