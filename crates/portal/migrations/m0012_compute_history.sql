-- The lab's cards, once a minute. It outlives cards and servers, so it refers to neither.
create table lab_samples (
    time bigint primary key,
    -- Cards that are in use or could be.
    cards bigint not null,
    used bigint not null,
    -- Percent, on average over the cards that tell it.
    utilization bigint
);

-- An instance that nobody seems to use: since when, and when it is stopped for that.
alter table instances add column idle_since bigint;

alter table instances add column idle_stop_at bigint;

-- Terminals whose programs are to be hung up on when nobody looks after them any more.
create table open_terminals (
    id text primary key,
    -- The run of a portal that looks after it.
    portal text not null,
    instance_id text not null references instances (id) on delete cascade,
    -- What its engine knows it by.
    terminal text not null,
    -- When that portal last said so.
    seen bigint not null
)
