-- What the workers remember about mails to a member goes with a member who is removed.
--
-- Safe from: 1.0.0
-- Locks: annonces_alertes and relances_courriels against everything, users against writes, for a moment
ALTER TABLE public.annonces_alertes
    DROP CONSTRAINT annonces_alertes_compte_id_fkey,
    ADD CONSTRAINT annonces_alertes_compte_id_fkey FOREIGN KEY (company_id, compte_id)
        REFERENCES public.users (company_id, id) ON DELETE CASCADE;
ALTER TABLE public.relances_courriels
    DROP CONSTRAINT relances_courriels_responsable_id_fkey,
    ADD CONSTRAINT relances_courriels_responsable_id_fkey FOREIGN KEY (company_id, responsable_id)
        REFERENCES public.users (company_id, id) ON DELETE CASCADE;

INSERT INTO kernel.migrations (domain, name) VALUES ('crm', '0055_removed_members.sql') ON CONFLICT DO NOTHING;
