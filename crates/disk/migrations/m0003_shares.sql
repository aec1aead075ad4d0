create table disk_shares (
    hash text primary key,
    -- The platform account's number, and its name, which never changes.
    owner_id bigint not null,
    owner_name text not null,
    -- As the owner says it, without a slash at the end.
    path text not null,
    -- The true names from the disk's root down, each percent-encoded, with slashes between them.
    place text not null,
    -- Which entry it is, not only where. Text, because the numbers have 64 bits without a sign.
    device text not null,
    inode text not null,
    -- Seconds and nanoseconds since 1970 with a dot between, or nothing where the file system
    -- keeps no birth times.
    born text not null,
    -- Milliseconds since 1970, 0 = never.
    expires bigint not null,
    -- Argon2id with salt and parameters in it.
    password text,
    created bigint not null,
    downloads bigint not null
);

create index disk_shares_place on disk_shares (place);
create index disk_shares_owner_id on disk_shares (owner_id);
