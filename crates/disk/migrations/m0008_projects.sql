-- Spaces whose files the file system counts as a project of its own.
create table disk_projects (
    -- As home/ann.
    space text primary key,
    project bigint not null,
    -- Whether all that was there before is tagged.
    tagged boolean not null
)
