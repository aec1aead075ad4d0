create table ssh_keys (
    id text primary key,
    user_id bigint not null references users (id) on delete cascade,
    name text not null,
    algorithm text not null,
    -- SHA256: and the digest, as ssh-keygen -l prints it.
    fingerprint text not null,
    -- On one line, without a comment.
    key text not null,
    created bigint not null,
    last_used bigint,
    -- The address from which it was last used.
    last_address text not null default '',
    -- Unique for each user only: another user's key may be added, which opens nothing without its private half.
    unique (user_id, fingerprint)
);

create index ssh_keys_fingerprint on ssh_keys (fingerprint)
