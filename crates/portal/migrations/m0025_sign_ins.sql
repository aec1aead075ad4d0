-- One place where somebody is signed in: a browser, a program. Its sessions are the tokens that renewals made of it.
create table sign_ins (
    id text primary key,
    user_id bigint not null references users (id) on delete cascade,
    created bigint not null,
    address text not null,
    user_agent text not null,
    -- To within a minute.
    last_used bigint not null,
    last_address text not null,
    -- When the password was last asked for again, if it was.
    confirmed bigint
);

create index sign_ins_user on sign_ins (user_id);

-- What is known of those that are open is in their last session.
insert into sign_ins (id, user_id, created, address, user_agent, last_used, last_address)
select
    coalesce(sign_in, id), user_id, created, address, user_agent, created, address
from sessions
where not exists (
    select 1 from sessions later
    where coalesce(later.sign_in, later.id) = coalesce(sessions.sign_in, sessions.id)
        and (later.created > sessions.created or (later.created = sessions.created and later.id > sessions.id))
);

create table open_sessions (
    id text primary key,
    sign_in text not null references sign_ins (id) on delete cascade,
    created bigint not null,
    expires bigint not null
);

insert into open_sessions (id, sign_in, created, expires)
select id, coalesce(sign_in, id), created, expires from sessions;

drop table sessions;

alter table open_sessions rename to sessions;

create index sessions_sign_in on sessions (sign_in);

create index sessions_expires on sessions (expires);

-- Tickets that have opened a WebSocket, until they expire.
create table spent_tickets (
    id text primary key,
    expires bigint not null
);

create index spent_tickets_expires on spent_tickets (expires)
