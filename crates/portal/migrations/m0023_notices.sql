-- What people are told: one row a recipient. It goes with its person.
create table notices (
    id text primary key,
    user_id bigint not null references users (id) on delete cascade,
    kind text not null,
    -- What it is about, by kind and id. The object may be gone.
    object_kind text not null,
    object_id text not null,
    title text not null,
    words text not null,
    -- The page with the object, below the portal's address.
    link text not null,
    created bigint not null,
    -- When its person read it, on whichever device.
    read bigint
);

create index notices_of_user on notices (user_id, created);

create index notices_unread on notices (user_id) where read is null;

-- Which groups of kinds a person does not want by mail, as a JSON list. Without a row: all are wanted.
create table notice_preferences (
    user_id bigint primary key references users (id) on delete cascade,
    muted text not null
);

-- What is still to leave by a channel, and what was given up: when, how often and why not stands in the job table. What
-- was delivered has no row any more.
create table notice_deliveries (
    id text primary key references jobs (id) on delete cascade,
    channel text not null,
    event text not null,
    -- What the channel needs to word it, as JSON.
    content text not null
);

insert into jobs (id, kind, state, runner, renewed, due, tries, error, created)
    select id, 'notice-robot', case when due is null then 'failed' else 'queued' end, '', created,
        coalesce(due, created), tries, error, created from webhook_notices;

insert into notice_deliveries (id, channel, event, content) select id, 'robot', event, content from webhook_notices;

drop table webhook_notices;

-- How mail leaves, one row at most.
create table mail_settings (
    id text primary key,
    enabled boolean not null,
    host text not null,
    port bigint not null,
    security text not null,
    -- Empty: nobody signs in.
    username text not null,
    -- Sealed.
    password text not null,
    from_address text not null,
    from_name text not null,
    -- Certificates in PEM that are trusted instead of the system's. Empty: the system's.
    ca_certificate text not null,
    -- The kinds that leave by mail, as a JSON list.
    kinds text not null,
    -- How the last mail fared, since the server was set: when, and what went wrong (empty: nothing).
    last_time bigint,
    last_error text not null
)
