-- Seals over the rows of the logs, one chain over both. They stay when the rows are dropped.
create table audit_seals (
    -- From 1, without gaps.
    number bigint primary key,
    -- `rows` is over these rows, `dropped` says that rows up to `last_id` were dropped because of their age.
    kind text not null,
    -- `login` or `operate`.
    log text not null,
    first_id bigint not null,
    last_id bigint not null,
    row_count bigint not null,
    -- When the newest of the rows was written.
    newest bigint not null,
    time bigint not null,
    -- SHA-256, in hexadecimal digits: of the rows, of the seal before, of this seal.
    rows_hash text not null,
    previous text not null,
    hash text not null,
    -- Ed25519 over `hash`, in base64, and the key that made it.
    signature text not null,
    kid text not null
);

create index audit_seals_log on audit_seals (log, last_id);

-- How far seals and their rows were forwarded.
create table audit_targets (
    target text primary key,
    number bigint not null,
    at bigint,
    -- What went wrong the last time (empty: nothing).
    error text not null
);

-- What was dropped last because of its age.
create table retention_runs (
    kind text primary key,
    ran bigint not null,
    removed bigint not null,
    -- Of all runs.
    removed_ever bigint not null
)
