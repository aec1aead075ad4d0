-- When an account ends (null: it does not), and how many days before that its person was told last (null: not yet).
alter table users add column ends_at bigint;

alter table users add column end_told bigint;

-- Quotas that were granted for a time: what they were before and what was granted, as JSON, and whether the person was
-- told that the time is nearly over.
create table quota_ends (
    user_id bigint primary key references users (id) on delete cascade,
    ends_at bigint not null,
    quotas_before text not null,
    quotas_granted text not null,
    told boolean not null
);

create index quota_ends_at on quota_ends (ends_at);

-- People who leave: what is to become of what they have, by whose will, and how far that is.
create table departures (
    id text primary key,
    -- The account may be gone.
    user_id bigint not null,
    username text not null,
    name text not null,
    -- planned (until the account ends), running, failed or done.
    state text not null,
    plan text not null,
    -- The administrator who wanted it, from where.
    by_id bigint not null,
    by_name text not null,
    address text not null,
    created bigint not null,
    started bigint,
    ended bigint
);

-- One of a person at a time.
create unique index departures_user_key on departures (user_id) where state <> 'done';

create index departures_created on departures (created);

-- What becomes of each thing, in the order in which it is done.
create table departure_items (
    departure_id text not null references departures (id) on delete cascade,
    number bigint not null,
    kind text not null,
    -- Its id, and what people call it.
    object text not null,
    name text not null,
    action text not null,
    -- Who gets it (null: nobody).
    receiver_id bigint,
    receiver text not null,
    -- waiting, done or failed.
    state text not null,
    -- What happened, or what it waits for.
    words text not null,
    -- What was begun for it elsewhere, such as the job that saves an image (empty: nothing).
    begun text not null,
    changed bigint not null,
    primary key (departure_id, number)
);

-- Whoever chose mails about the disk is mailed about the end of accounts and quotas too.
update mail_settings set kinds = replace(kinds, '"disk_over"', '"disk_over","account_ending","quota_ending","departure"')
