-- Makes a signatory, who has no account, the author of what the transaction writes in the journal, in the company of the document.
CREATE OR REPLACE FUNCTION kernel.signature_author(who kernel.signatories, request text) RETURNS void
    LANGUAGE sql SET search_path = pg_catalog, pg_temp
AS $$
    SELECT set_config('learntrack.author', format('%s <%s>', who.name, who.email), true),
        set_config('learntrack.request', coalesce(request, ''), true),
        set_config('learntrack.company', who.company_id::text, true);
$$;

REVOKE EXECUTE ON FUNCTION kernel.signature_author(kernel.signatories, text) FROM PUBLIC;

SELECT kernel.note_file('kernel', 'functions/signature_author.sql', '4fcc4a99943ab3b1');
