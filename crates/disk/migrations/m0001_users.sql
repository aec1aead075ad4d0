create table disk_users (
    -- The platform account's number.
    user_id bigint primary key,
    -- JSON: what the person chose and what was chosen for them.
    profile text not null,
    changed bigint not null
);

create table disk_settings (
    -- Always 1: there is one row, or none as long as everything is as usual.
    id bigint primary key,
    content text not null,
    changed bigint not null
);
