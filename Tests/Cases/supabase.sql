--
-- PostgreSQL database dump
--


-- Dumped from database version 15.20 (Debian 15.20-0+deb12u1)
-- Dumped by pg_dump version 15.20 (Debian 15.20-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: auth; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA auth;


--
-- Name: aal_level; Type: TYPE; Schema: auth; Owner: -
--

CREATE TYPE auth.aal_level AS ENUM (
    'aal1',
    'aal2',
    'aal3'
);


--
-- Name: uid(); Type: FUNCTION; Schema: auth; Owner: -
--

CREATE FUNCTION auth.uid() RETURNS uuid
    LANGUAGE sql STABLE
    AS $$
  select coalesce(nullif(current_setting('request.jwt.claim.sub', true), ''), (nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'))::uuid
$$;


--
-- Name: handle_new_user(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.handle_new_user() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
BEGIN
INSERT INTO public.users (email, supabase_user_id) VALUES (new.email, new.id);
COPY public.clients (id) FROM stdin;
  RETURN new;
END;
$$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: clients; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.clients (
    id bigint NOT NULL,
    raison_sociale character varying(255),
    rue text,
    code_postal character varying(10),
    ville character varying(100),
    nom_contact character varying(150),
    email character varying(255),
    telephone character varying(20),
    siret character varying(20),
    numero_tva character varying(20),
    created_at timestamp with time zone DEFAULT now()
);


--
-- Name: TABLE clients; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.clients IS 'Nos clients;
INSERT INTO public.clients (id, raison_sociale) VALUES (998, ''commentaire'');';


--
-- Name: sessions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.sessions (
    id bigint NOT NULL,
    module character varying(500),
    date date,
    debut time without time zone,
    fin time without time zone,
    modalite character(1),
    lieu text,
    tarif_client numeric(10,2),
    tarif_sous_traitant numeric(10,2),
    frais_rembourser numeric(10,2),
    ref_contrat character varying(100),
    ecole_id bigint,
    client_id bigint,
    formateur_id bigint
);


--
-- Name: nettoie(); Type: PROCEDURE; Schema: public; Owner: -
--

CREATE PROCEDURE public.nettoie()
    LANGUAGE sql
    BEGIN ATOMIC
 DELETE FROM public.sessions
   WHERE
         CASE
             WHEN (sessions.id < 0) THEN true
             ELSE false
         END;
 INSERT INTO public.clients (id, raison_sociale)
   VALUES (999, 'corps; de fonction'::character varying);
END;


--
-- Name: audit_log_entries; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.audit_log_entries (
    instance_id uuid,
    id uuid NOT NULL,
    payload json,
    created_at timestamp with time zone,
    ip_address character varying(64) DEFAULT ''::character varying NOT NULL
);


--
-- Name: identities; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.identities (
    provider_id text NOT NULL,
    user_id uuid NOT NULL,
    identity_data jsonb NOT NULL,
    provider text NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL
);


--
-- Name: users; Type: TABLE; Schema: auth; Owner: -
--

CREATE TABLE auth.users (
    instance_id uuid,
    id uuid NOT NULL,
    aud character varying(255),
    role character varying(255),
    email character varying(255),
    encrypted_password character varying(255),
    email_confirmed_at timestamp with time zone,
    invited_at timestamp with time zone,
    confirmation_token character varying(255),
    confirmation_sent_at timestamp with time zone,
    recovery_token character varying(255),
    recovery_sent_at timestamp with time zone,
    email_change_token_new character varying(255),
    email_change character varying(255),
    email_change_sent_at timestamp with time zone,
    last_sign_in_at timestamp with time zone,
    raw_app_meta_data jsonb,
    raw_user_meta_data jsonb,
    is_super_admin boolean,
    created_at timestamp with time zone,
    updated_at timestamp with time zone,
    phone text DEFAULT NULL::character varying,
    phone_confirmed_at timestamp with time zone,
    phone_change text DEFAULT ''::character varying,
    confirmed_at timestamp with time zone GENERATED ALWAYS AS (LEAST(email_confirmed_at, phone_confirmed_at)) STORED,
    banned_until timestamp with time zone,
    reauthentication_token character varying(255) DEFAULT ''::character varying,
    is_sso_user boolean DEFAULT false NOT NULL,
    deleted_at timestamp with time zone,
    is_anonymous boolean DEFAULT false NOT NULL
);


--
-- Name: clients_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.clients_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: clients_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.clients_id_seq OWNED BY public.clients.id;


--
-- Name: ecoles; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.ecoles (
    id bigint NOT NULL,
    nom character varying(255),
    rue text,
    code_postal character varying(10),
    ville character varying(100),
    nom_contact character varying(150),
    email character varying(255),
    telephone character varying(20)
);


--
-- Name: ecoles_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.ecoles_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: ecoles_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.ecoles_id_seq OWNED BY public.ecoles.id;


--
-- Name: formateurs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.formateurs (
    id bigint NOT NULL,
    prenom character varying(100),
    nom character varying(100),
    email character varying(255),
    telephone character varying(20),
    specialite text,
    taux_horaire numeric(10,2),
    exterieur smallint DEFAULT 0,
    societe character varying(255),
    siret character varying(20),
    nda character varying(50),
    rue text,
    code_postal character varying(10),
    ville character varying(100)
);


--
-- Name: formateurs_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.formateurs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: formateurs_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.formateurs_id_seq OWNED BY public.formateurs.id;


--
-- Name: sessions_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

CREATE SEQUENCE public.sessions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;


--
-- Name: sessions_id_seq; Type: SEQUENCE OWNED BY; Schema: public; Owner: -
--

ALTER SEQUENCE public.sessions_id_seq OWNED BY public.sessions.id;


--
-- Name: users; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.users (
    id bigint NOT NULL,
    username character varying(100),
    email character varying(255),
    role character varying(20) DEFAULT 'user'::character varying,
    supabase_user_id uuid,
    is_active boolean DEFAULT true,
    avatar_url text
);


--
-- Name: users_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.users ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.users_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);


--
-- Name: clients id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.clients ALTER COLUMN id SET DEFAULT nextval('public.clients_id_seq'::regclass);


--
-- Name: ecoles id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ecoles ALTER COLUMN id SET DEFAULT nextval('public.ecoles_id_seq'::regclass);


--
-- Name: formateurs id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.formateurs ALTER COLUMN id SET DEFAULT nextval('public.formateurs_id_seq'::regclass);


--
-- Name: sessions id; Type: DEFAULT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions ALTER COLUMN id SET DEFAULT nextval('public.sessions_id_seq'::regclass);


--
-- Data for Name: audit_log_entries; Type: TABLE DATA; Schema: auth; Owner: -
--

COPY auth.audit_log_entries (instance_id, id, payload, created_at, ip_address) FROM stdin;
00000000-0000-0000-0000-000000000000	c24e7063-518f-44a0-93b3-6f7081920314	{"action":"login","note":"INSERT INTO public.clients VALUES (1)"}	2025-03-05 08:00:00+00	
\.


--
-- Data for Name: identities; Type: TABLE DATA; Schema: auth; Owner: -
--

COPY auth.identities (provider_id, user_id, identity_data, provider, id) FROM stdin;
7d9f2b1e-0c3a-4f5b-8e6d-1a2b3c4d5e6f	7d9f2b1e-0c3a-4f5b-8e6d-1a2b3c4d5e6f	{"sub": "7d9f2b1e-0c3a-4f5b-8e6d-1a2b3c4d5e6f"}	email	867d937e-dcbf-4ffd-8f16-b93ae9e2758d
8e0a3c2f-1d4b-405c-9f7e-2b3c4d5e6f70	8e0a3c2f-1d4b-405c-9f7e-2b3c4d5e6f70	{"sub": "8e0a3c2f-1d4b-405c-9f7e-2b3c4d5e6f70"}	email	07f0c54d-70bf-4edf-b354-8da2b08e2deb
9f1b4d30-2e5c-416d-a080-3c4d5e6f7081	9f1b4d30-2e5c-416d-a080-3c4d5e6f7081	{"sub": "9f1b4d30-2e5c-416d-a080-3c4d5e6f7081"}	email	18674dd1-d8cc-4784-a7e5-3e2e8f432429
a02c5e41-3f6d-427e-b191-4d5e6f708192	a02c5e41-3f6d-427e-b191-4d5e6f708192	{"sub": "a02c5e41-3f6d-427e-b191-4d5e6f708192"}	email	684f7081-e925-4393-b0b5-abedd9f613ad
b13d6f52-407e-438f-82a2-5e6f70819203	b13d6f52-407e-438f-82a2-5e6f70819203	{"sub": "b13d6f52-407e-438f-82a2-5e6f70819203"}	email	ad258b93-f4de-4d58-814c-e2ce5592e7a8
\.


--
-- Data for Name: users; Type: TABLE DATA; Schema: auth; Owner: -
--

COPY auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, invited_at, confirmation_token, confirmation_sent_at, recovery_token, recovery_sent_at, email_change_token_new, email_change, email_change_sent_at, last_sign_in_at, raw_app_meta_data, raw_user_meta_data, is_super_admin, created_at, updated_at, phone, phone_confirmed_at, phone_change, banned_until, reauthentication_token, is_sso_user, deleted_at, is_anonymous) FROM stdin;
00000000-0000-0000-0000-000000000000	7d9f2b1e-0c3a-4f5b-8e6d-1a2b3c4d5e6f	authenticated	authenticated	anne@ecole.example	$2a$06$abcdefghijklmnopqrstuuTfuczeOjYQrmEnE9KvLYVe5iM68rSt.	2025-03-01 08:00:00+00	\N	\N	\N	\N	\N	\N	\N	\N	\N	{"provider": "email", "providers": ["email"]}	{"nom": "Anne; \\"Lefèvre\\"", "note": "a\\\\tb"}	\N	2025-03-01 08:00:00+00	2025-03-01 08:00:00+00	\N	\N		\N		f	\N	f
00000000-0000-0000-0000-000000000000	8e0a3c2f-1d4b-405c-9f7e-2b3c4d5e6f70	authenticated	authenticated	paul@ecole.example	$2a$06$vbcdefghijklmnopqrstuuPwJoaHGpbxGEYijlPiwd67sQh0hS4dK	2025-03-02 08:00:00+00	\N	\N	\N	\N	\N	\N	\N	\N	\N	{"provider": "email"}	{}	\N	2025-03-02 08:00:00+00	2025-03-02 08:00:00+00	\N	\N		\N		f	\N	f
00000000-0000-0000-0000-000000000000	9f1b4d30-2e5c-416d-a080-3c4d5e6f7081	authenticated	authenticated	banni@ecole.example	$2a$06$vbcdefghijklmnopqrstuuPwJoaHGpbxGEYijlPiwd67sQh0hS4dK	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	{}	{}	\N	2025-03-03 08:00:00+00	2025-03-03 08:00:00+00	\N	\N		2125-01-01 00:00:00+00		f	\N	f
00000000-0000-0000-0000-000000000000	a02c5e41-3f6d-427e-b191-4d5e6f708192	authenticated	authenticated	google@ecole.example		2025-03-04 08:00:00+00	\N	\N	\N	\N	\N	\N	\N	\N	\N	{"provider": "google"}	{}	\N	2025-03-04 08:00:00+00	2025-03-04 08:00:00+00	\N	\N		\N		f	\N	f
00000000-0000-0000-0000-000000000000	b13d6f52-407e-438f-82a2-5e6f70819203	authenticated	authenticated	ailleurs@ecole.example	$2a$06$vbcdefghijklmnopqrstuuPwJoaHGpbxGEYijlPiwd67sQh0hS4dK	\N	\N	\N	\N	\N	\N	\N	\N	\N	\N	{}	{}	\N	2025-03-05 08:00:00+00	2025-03-05 08:00:00+00	\N	\N		\N		f	\N	f
\.


--
-- Data for Name: clients; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.clients (id, raison_sociale, rue, code_postal, ville, nom_contact, email, telephone, siret, numero_tva, created_at) FROM stdin;
7	Maison Bertrand; traiteur	\N	75002	Paris	\N	\N	\N	73282932000074	\N	2025-04-01 10:00:00+00
12	Éts. "Léa"	\N	\N	\N	\N	\N	\N	\N	\N	2025-04-02 10:00:00.123456+00
\.


--
-- Data for Name: ecoles; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.ecoles (id, nom, rue, code_postal, ville, nom_contact, email, telephone) FROM stdin;
2	École d'été	1 rue\tdu \\Port\nBâtiment B	29200	Brest	\N	contact@ecole.example	02 98 00 00 00
\.


--
-- Data for Name: formateurs; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.formateurs (id, prenom, nom, email, telephone, specialite, taux_horaire, exterieur, societe, siret, nda, rue, code_postal, ville) FROM stdin;
3	Élodie	Dupont	elodie@ecole.example	\N	\N	65.50	1	\N	\N	\N	\N	\N	\N
4	Zoé	L'Hôte	\N	\N	\N	\N	0	\N	\N	\N	\N	\N	\N
\.


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.sessions (id, module, date, debut, fin, modalite, lieu, tarif_client, tarif_sous_traitant, frais_rembourser, ref_contrat, ecole_id, client_id, formateur_id) FROM stdin;
20	SwiftUI avancé	2026-01-12	09:00:00	17:00:00	P	12 rue de la Paix	1200.50	450.00	\N	\N	2	7	3
21	À distance	2026-02-13	09:30:00	12:30:00	D	\N	\N	\N	\N	\N	\N	12	\N
\.


--
-- Data for Name: users; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public.users (id, username, email, role, supabase_user_id, is_active, avatar_url) FROM stdin;
1	Anne	anne@ecole.example	admin	7d9f2b1e-0c3a-4f5b-8e6d-1a2b3c4d5e6f	t	\N
4	Paul	Paul@ecole.example	user	\N	t	https://exemple.fr/p.png
5	Banni	banni@ecole.example	user	9f1b4d30-2e5c-416d-a080-3c4d5e6f7081	t	\N
9	\N	google@ecole.example	user	a02c5e41-3f6d-427e-b191-4d5e6f708192	t	\N
\.


--
-- Name: clients_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.clients_id_seq', 12, true);


--
-- Name: ecoles_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.ecoles_id_seq', 2, true);


--
-- Name: formateurs_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.formateurs_id_seq', 4, true);


--
-- Name: sessions_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.sessions_id_seq', 40, true);


--
-- Name: users_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

SELECT pg_catalog.setval('public.users_id_seq', 9, true);


--
-- Name: audit_log_entries audit_log_entries_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.audit_log_entries
    ADD CONSTRAINT audit_log_entries_pkey PRIMARY KEY (id);


--
-- Name: identities identities_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (id);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- Name: clients clients_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.clients
    ADD CONSTRAINT clients_pkey PRIMARY KEY (id);


--
-- Name: ecoles ecoles_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.ecoles
    ADD CONSTRAINT ecoles_pkey PRIMARY KEY (id);


--
-- Name: formateurs formateurs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.formateurs
    ADD CONSTRAINT formateurs_pkey PRIMARY KEY (id);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);


--
-- Name: users users_email_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_email_key UNIQUE (email);


--
-- Name: users users_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);


--
-- Name: users on_auth_user_created; Type: TRIGGER; Schema: auth; Owner: -
--

CREATE TRIGGER on_auth_user_created AFTER INSERT ON auth.users FOR EACH ROW EXECUTE FUNCTION public.handle_new_user();

ALTER TABLE auth.users DISABLE TRIGGER on_auth_user_created;


--
-- Name: identities identities_user_id_fkey; Type: FK CONSTRAINT; Schema: auth; Owner: -
--

ALTER TABLE ONLY auth.identities
    ADD CONSTRAINT identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;


--
-- Name: sessions sessions_client_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);


--
-- Name: sessions sessions_ecole_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_ecole_id_fkey FOREIGN KEY (ecole_id) REFERENCES public.ecoles(id);


--
-- Name: sessions sessions_formateur_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_formateur_id_fkey FOREIGN KEY (formateur_id) REFERENCES public.formateurs(id);


--
-- Name: users users_supabase_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_supabase_user_id_fkey FOREIGN KEY (supabase_user_id) REFERENCES auth.users(id);


--
-- Name: clients Lecture pour tous; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "Lecture pour tous" ON public.clients FOR SELECT USING (true);


--
-- Name: clients; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.clients ENABLE ROW LEVEL SECURITY;

--
-- PostgreSQL database dump complete
--


