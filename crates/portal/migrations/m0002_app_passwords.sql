create table app_passwords (
    id text primary key,
    user_id bigint not null references users (id) on delete cascade,
    name text not null,
    -- SHA-256 of the password, in hexadecimal digits. Nobody can guess 160 random bits, so
    -- nothing slower is needed.
    digest text not null unique,
    created bigint not null,
    last_used bigint
);

create index app_passwords_user on app_passwords (user_id);
