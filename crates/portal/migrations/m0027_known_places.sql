-- Addresses and devices that somebody has signed in from. Whoever guesses passwords elsewhere does not lock them out there.
create table known_places (
    user_id bigint not null references users (id) on delete cascade,
    -- `address:` and the network, or `device:` and the SHA-256 of the device's mark.
    mark text not null,
    last_used bigint not null,
    primary key (user_id, mark)
);

-- The same refusal in the same minute is one row.
alter table login_logs add column count bigint not null default 1;

alter table operate_logs add column count bigint not null default 1
