create table access_tokens (
    id text primary key,
    user_id bigint not null references users (id) on delete cascade,
    name text not null,
    -- SHA-256 of the token, in hexadecimal digits.
    digest text not null unique,
    -- Its scopes as a JSON list of words.
    scopes text not null,
    created bigint not null,
    expires bigint not null,
    last_used bigint
);

create index access_tokens_user on access_tokens (user_id);
