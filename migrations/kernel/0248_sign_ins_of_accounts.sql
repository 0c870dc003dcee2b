-- Who removes an account looks for all its sign-ins, those that have ended, too.
--
-- Safe from: 1.0.0
-- Locks: the tables of accounts and what the functions change against everything, for a moment
-- Before: DROP INDEX CONCURRENTLY IF EXISTS public.sign_ins_user_id_idx_all
-- Before: CREATE INDEX CONCURRENTLY sign_ins_user_id_idx_all ON public.sign_ins (user_id)
CREATE INDEX IF NOT EXISTS sign_ins_user_id_idx_all ON public.sign_ins (user_id);

-- All at once: the functions, which the migrator applies in the same transaction, change these.
SELECT kernel.company_lock(
    'ACCESS EXCLUSIVE', 'public.users', 'public.credentials', 'public.sign_ins', 'public.access_keys', 'public.account_roles',
    'public.journal', 'kernel.accounts', 'kernel.companies', 'kernel.files', 'kernel.file_pictures', 'kernel.listed_files',
    'kernel.idempotency', 'kernel.invitations', 'kernel.invitation_tokens', 'kernel.outbox', 'kernel.signatures',
    'kernel.signature_documents', 'kernel.signatories', 'kernel.signature_links', 'kernel.subscriptions');

DROP INDEX public.sign_ins_user_id_idx;
ALTER INDEX public.sign_ins_user_id_idx_all RENAME TO sign_ins_user_id_idx;
COMMENT ON INDEX public.sign_ins_user_id_idx IS 'foreign key; the sign-ins of an account';

INSERT INTO kernel.migrations (domain, name) VALUES ('kernel', '0248_sign_ins_of_accounts.sql') ON CONFLICT DO NOTHING;
