-- How a membership came about: `administrator`, `directory`, `invitation`, or `earlier`: before this was kept.
alter table group_members add column origin text not null default 'earlier';

-- Whom leaders asked to join. An accepted one has become a membership and has no row any more.
create table group_invitations (
    group_id bigint not null references groups (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    -- Null: the leader's account is gone.
    invited_by bigint references users (id) on delete set null,
    -- `pending`, `declined` or `withdrawn`.
    state text not null,
    invited bigint not null,
    expires bigint not null,
    -- When it was declined or withdrawn.
    ended bigint,
    -- When the invited person was last told.
    told bigint not null,
    primary key (group_id, user_id)
);

create index group_invitations_user on group_invitations (user_id)
