-- What the programs of an instance are frozen for until there is room again, as in disk_levels. Null if they are not.
alter table instances add column frozen_for text;

-- How full quotas of the disk and roots of instances were when they were counted last.
create table disk_levels (
    -- user:<id>, group:<id> or root:<id of an instance>
    holder text primary key,
    used bigint not null,
    quota bigint not null,
    counted bigint not null,
    -- Milliseconds from one count to the next.
    gap bigint not null,
    -- Whether it was more than at the count before.
    grew boolean not null,
    -- The highest level that was told since there was room, as a word.
    told text not null,
    -- Since when the quota is used up. Null if it is not.
    full_since bigint,
    -- When its owner last let go on what was frozen for it. Null if there was room since.
    gone_on bigint
);

-- Limits of project quotas that were set on file systems of servers. 0 is one that was lifted.
create table project_limits (
    server_id text not null references servers (id) on delete cascade,
    -- Where the network disk was on that server.
    path text not null,
    project bigint not null,
    limit_bytes bigint not null,
    primary key (server_id, path, project)
);

-- Who was told is known from the levels.
drop table disk_over
