-- From a telephone number of the shape that est_telephone takes to the link that dials it: `tel:+33612345678`. The
-- overseas departments have country codes of their own; 06 39 98, inside Mayotte's range, is reserved for fiction and
-- stays an ordinary number.
CREATE OR REPLACE FUNCTION public.lien_telephone(telephone text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 'tel:' || regexp_replace(
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    regexp_replace(
                        regexp_replace(public.telephone_compose(telephone), '^00', '+'),
                        '^0(262|263|269|639(?!98)|692|693)', '+262\1'
                    ),
                    '^0(590|690|691)', '+590\1'
                ),
                '^0(594|694)', '+594\1'
            ),
            '^0(596|696|697)', '+596\1'
        ),
        '^0', '+33'
    );

CREATE OR REPLACE FUNCTION public.telephone_uri(formateur public.formateurs) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.lien_telephone((formateur).telephone);

CREATE OR REPLACE FUNCTION public.telephone_uri(client public.clients) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.lien_telephone((client).telephone);

CREATE OR REPLACE FUNCTION public.telephone_uri(ecole public.ecoles) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.lien_telephone((ecole).telephone);

CREATE OR REPLACE FUNCTION public.telephone_uri(prospect public.prospects) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN public.lien_telephone((prospect).telephone);
