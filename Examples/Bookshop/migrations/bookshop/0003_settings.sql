-- The settings of the shop.
--
-- Safe from: 1.0.0
-- Locks: nothing that exists before it

CREATE TABLE bookshop.settings (
    company_id bigint NOT NULL DEFAULT kernel.company(),
    id bigserial,
    shop_name varchar(100) NOT NULL DEFAULT 'Notre librairie'
        CONSTRAINT settings_shop_name_check CHECK (kernel.is_visible(shop_name)),
    loan_days integer NOT NULL DEFAULT 21 CONSTRAINT settings_loan_days_check CHECK (loan_days BETWEEN 1 AND 365),
    CONSTRAINT settings_pkey PRIMARY KEY (company_id, id)
);
CREATE UNIQUE INDEX settings_single_idx ON bookshop.settings (company_id);
SELECT kernel.table_keep('bookshop.settings');

-- What Access says.
SELECT kernel.rights_keep('bookshop.settings', 'learntrack_admin', readable => '*', updated => '*');
SELECT kernel.rights_keep('bookshop.settings', 'learntrack_bookshop_reader', readable => '*');
SELECT kernel.rights_keep('bookshop.settings', 'learntrack_user', readable => '*');

-- The role in which the functions of commands run.
SELECT kernel.commands_role('bookshop');
SELECT kernel.rights_keep('bookshop.settings', 'learntrack_bookshop_commands', readable => '*', created => '*');

INSERT INTO kernel.migrations (domain, name) VALUES ('bookshop', '0003_settings.sql') ON CONFLICT DO NOTHING;
