-- How the portal gets a certificate for its own HTTPS port. No row before an administrator chose.
create table https_settings (
    id text primary key,
    way text not null,
    -- DNS names and addresses in a JSON list, the first is the main one.
    names text not null,
    -- The public port of HTTPS (null: the port that the portal listens on).
    port bigint,
    -- Whether pages that are opened over plain HTTP are opened again over HTTPS.
    redirect boolean not null,
    -- The directory of the ACME server.
    directory text not null,
    email text not null,
    -- Certificates in PEM that the ACME server is trusted by (empty: those of the system).
    ca_certificate text not null,
    eab_key_id text not null,
    -- Sealed (empty: none).
    eab_key text not null
);

-- How the tries to get a certificate went. One row.
create table https_tries (
    id text primary key,
    -- When an administrator asked for a certificate at once (null: nobody waits).
    asked bigint,
    -- When the last try began and ended (null end: it is going on, or its process was killed).
    started bigint,
    ended bigint,
    -- Tries since the last success.
    failures bigint not null,
    error text not null,
    -- Nothing is tried before this time.
    next_try bigint
);

-- The certificate that is served. One row.
create table https_certificates (
    id text primary key,
    names text not null,
    -- Who issued it: the ACME directory, or the serial number of the lab's CA.
    source text not null,
    chain text not null,
    -- Sealed.
    private_key text not null,
    issuer text not null,
    fingerprint text not null,
    not_before bigint not null,
    not_after bigint not null,
    renew_after bigint not null
);

create table acme_accounts (
    directory text primary key,
    -- Sealed.
    credentials text not null,
    created bigint not null
);

-- Answers to the challenges of orders that are going on. Any portal on the database gives them.
create table acme_challenges (
    token text primary key,
    answer text not null,
    created bigint not null
);

-- The lab's own CA. One row.
create table lab_ca (
    id text primary key,
    -- Its serial number. Another CA has another one.
    serial text not null,
    name text not null,
    -- What it may sign for, in a JSON list.
    names text not null,
    certificate text not null,
    fingerprint text not null,
    not_after bigint not null
);

-- Its key, which only encrypted backups hold.
create table lab_ca_keys (
    id text primary key,
    -- Of the CA that it belongs to.
    serial text not null,
    -- Sealed.
    private_key text not null
)
