-- An instance whose programs are frozen: why (empty: they are not), whether the engine was told, and when that was last
-- lifted.
alter table instances add column suspended text not null default '';

alter table instances add column paused boolean not null default false;

alter table instances add column lifted bigint;

-- What looked like mining. Evidence outlives the instance, its owner and its server, so it refers to none of them.
create table findings (
    id text primary key,
    instance_id text not null,
    instance_name text not null,
    username text not null,
    server_name text not null,
    image text not null,
    kind text not null,
    -- Which rule it matched.
    rule text not null,
    -- What was seen, as a line.
    detail text not null,
    -- Looks that saw it.
    count bigint not null,
    first_seen bigint not null,
    last_seen bigint not null,
    -- When the instance was last suspended for it.
    paused bigint,
    state text not null,
    handler text not null,
    note text not null,
    -- When an administrator last said something about it.
    handled bigint,
    unique (instance_id, kind, rule)
);

create index findings_last_seen on findings (last_seen)
