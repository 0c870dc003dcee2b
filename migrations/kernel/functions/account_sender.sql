-- An account as mails name who has them sent: `Marie Curie (marie@exemple.fr)`, the address alone without a name.
CREATE OR REPLACE FUNCTION kernel.account_sender(account public.users) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN kernel.is_visible((account).username) AND (account).username <> (account).email
        THEN (account).username || ' (' || (account).email || ')'
        ELSE (account).email END;

SELECT kernel.note_file('kernel', 'functions/account_sender.sql', '163edaccf4ab61a6');
