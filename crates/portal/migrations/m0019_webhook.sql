-- Where notices go, one row at most. Address and secret are sealed: a robot's address is its key.
create table webhook (
    id text primary key,
    enabled boolean not null,
    address text not null,
    format text not null,
    -- Empty: messages are not signed.
    secret text not null,
    -- The events that are told, as a JSON list.
    events text not null,
    -- How the last message fared, since the address was set: when, and what went wrong (empty: nothing).
    last_time bigint,
    last_error text not null
);

-- What is still to be told, and what was given up. What was told has no row any more.
create table webhook_notices (
    id text primary key,
    event text not null,
    -- What happened, as JSON. The words are made of it when it is sent.
    content text not null,
    created bigint not null,
    -- When it is tried next (null: it was given up).
    due bigint,
    tries bigint not null,
    -- What went wrong the last time.
    error text not null
);

create index webhook_notices_due on webhook_notices (due)
