-- An administrator removes members of the company, but not the last active administrator, and not itself. Removals and changes of
-- administrators take turns, as keep_last_admin.sql has it. What the member has goes by its foreign keys: roles, access keys,
-- subscriptions, invitations. The owner at psql may remove anyone.
CREATE OR REPLACE FUNCTION kernel.keep_member() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF OLD.id = kernel.account() THEN
        PERFORM kernel.refuse('users_remove_self');
    END IF;
    IF OLD.role = 'admin' AND OLD.is_member THEN
        PERFORM FROM public.users AS u WHERE u.company_id = OLD.company_id AND u.role = 'admin' AND u.is_member
        ORDER BY u.id LIMIT 1 FOR SHARE;
        IF NOT FOUND THEN
            PERFORM kernel.refuse('users_remove_last_admin');
        END IF;
    END IF;
    RETURN NULL;
END
$$;

REVOKE EXECUTE ON FUNCTION kernel.keep_member() FROM PUBLIC;

CREATE OR REPLACE TRIGGER users_turn_of_removals BEFORE DELETE ON public.users
    FOR EACH STATEMENT
    WHEN (current_user IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth'))
    EXECUTE FUNCTION kernel.admins_in_turn();

CREATE OR REPLACE TRIGGER users_remove AFTER DELETE ON public.users
    FOR EACH ROW
    WHEN (current_user IN ('learntrack_user', 'learntrack_admin', 'learntrack_auth'))
    EXECUTE FUNCTION kernel.keep_member();

SELECT kernel.note_file('kernel', 'functions/keep_member.sql', '9fffe0eaf90a0aac');
