-- What was deleted and can be brought back. The content lies in the staging area under the id,
-- with a record beside it that has all of this, so that the table can be made again from there.
create table disk_trash (
    id text primary key,
    -- The space it came from, as a path from the disk's root, empty for the root itself.
    space text not null,
    -- JSON: its names from the disk's root down.
    names text not null,
    is_folder boolean not null,
    -- Bytes that it takes, as quotas count them.
    size bigint not null,
    -- Whose home it came from.
    home_owner bigint,
    deleted_by bigint not null,
    deleted_by_name text not null,
    deleted_at bigint not null
);

create index disk_trash_space on disk_trash (space, deleted_at);
create index disk_trash_deleted on disk_trash (deleted_at)
