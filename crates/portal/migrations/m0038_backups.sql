-- Backups: of the database, which the leading portal makes, and of the network disk's files, which a script reports.
create table backups (
    id text primary key,
    -- database or files.
    kind text not null,
    -- running, good or failed.
    outcome text not null,
    -- The portal that makes it (empty: asked for, not begun) and the name of its machine, where the file lies.
    portal text not null,
    host text not null,
    started bigint not null,
    finished bigint,
    -- The name in the backup folder (empty: none).
    file text not null,
    bytes bigint not null,
    row_count bigint not null,
    encrypted boolean not null,
    note text not null,
    error text not null,
    -- Whether administrators were told of the failure.
    told boolean not null
);

create index backups_started on backups (kind, started);

-- One at a time.
create unique index backups_kind_key on backups (kind) where outcome = 'running'
