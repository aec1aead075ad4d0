create table worksheets (
    -- What people call it by: #12.
    number {id},
    id text not null unique,
    kind text not null,
    title text not null,
    content text not null,
    -- Files on the network disk as their author sees them: a JSON document.
    attachments text not null,
    state text not null,
    -- 0 low to 3 urgent.
    priority bigint not null,
    -- Users may be gone, the names stay.
    requester_id bigint not null,
    requester text not null,
    handler_id bigint,
    handler text not null,
    -- The instance that it is about, by id and by name. Empty: none.
    instance_id text not null,
    instance text not null,
    -- What is asked for in figures: a JSON document.
    figures text not null,
    decision text,
    -- How often something happened to it, which is what people have seen or not.
    news bigint not null,
    created bigint not null,
    updated bigint not null
);

create index worksheets_requester on worksheets (requester_id, state);

create index worksheets_state on worksheets (state, updated);

create table worksheet_entries (
    id {id},
    worksheet_id text not null references worksheets (id) on delete cascade,
    time bigint not null,
    author_id bigint not null,
    author text not null,
    kind text not null,
    content text not null,
    attachments text not null,
    -- The step between states, for those that are one.
    state_from text,
    state_to text
);

create index worksheet_entries_worksheet on worksheet_entries (worksheet_id, id);

-- How much of it somebody has seen.
create table worksheet_reads (
    worksheet_id text not null references worksheets (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    news bigint not null,
    primary key (worksheet_id, user_id)
)
