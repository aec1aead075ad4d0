create table announcements (
    id text primary key,
    title text not null,
    content text not null,
    important boolean not null,
    author text not null,
    created bigint not null,
    updated bigint not null,
    -- Shown until then. Null: until it is deleted.
    until bigint
);

create index announcements_created on announcements (created)
