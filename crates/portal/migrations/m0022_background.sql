-- Work that is written down first and done later, by whom, and how it went. What exactly is to be done stands in the
-- feature's own table under the same id.
create table jobs (
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

create index jobs_due on jobs (kind, state, due);

create index jobs_owner on jobs (owner, created);

create index jobs_state on jobs (state);

insert into jobs (id, kind, state, owner, runner, renewed, due, tries, error, created, started, ended)
select id, 'image', state, user_id, portal, seen, created, 0, error, created, started, ended from image_jobs;

drop index image_jobs_user;

drop index image_jobs_state;

alter table image_jobs drop column state;

alter table image_jobs drop column user_id;

alter table image_jobs drop column portal;

alter table image_jobs drop column seen;

alter table image_jobs drop column error;

alter table image_jobs drop column created;

alter table image_jobs drop column started;

alter table image_jobs drop column ended;

-- How each duty ran last in each process, so that a restart and other portals can show it.
create table duty_runs (
    duty text not null,
    -- The data folder of the portal.
    portal text not null,
    host text not null,
    -- Whether it is at work there.
    active boolean not null,
    running_since bigint,
    started bigint,
    took_ms bigint,
    error text,
    next bigint,
    held boolean not null,
    failing text not null,
    -- When the portal last wrote this.
    noted bigint not null,
    primary key (duty, portal)
);

-- What was last known of the time for sure, by the portal that wrote it.
create table clock_marks (
    portal text primary key,
    -- Milliseconds since 1970, as they were trusted.
    trusted bigint not null,
    -- The machine's boot, and how long it had run.
    boot_id text not null,
    uptime_ms bigint not null,
    -- Since when the clock is not trusted, in trusted time (null: it is).
    held_since bigint
)
