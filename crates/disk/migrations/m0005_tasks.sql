-- Work that goes on after its request was answered, so that a restart can say what it broke off.
create table disk_jobs (
    id text primary key,
    kind text not null,
    -- queued, running, done, failed or cancelled.
    state text not null,
    owner bigint,
    -- The process that holds the lease (empty: none), and when it renewed it last.
    runner text not null,
    renewed bigint not null,
    due bigint not null,
    tries bigint not null,
    error text not null,
    created bigint not null,
    started bigint,
    ended bigint
);

create index disk_jobs_state on disk_jobs (runner, state);

-- What a job does.
create table disk_tasks (
    id text primary key references disk_jobs (id) on delete cascade,
    source text not null,
    destination text not null
);

-- What was last known of the time for sure, by a storage host without a portal in its process.
create table disk_clock_marks (
    portal text primary key,
    trusted bigint not null,
    boot_id text not null,
    uptime_ms bigint not null,
    held_since bigint
)
