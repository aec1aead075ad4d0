-- Folders of groups in running instances whose owners are not in the group any more.
create table held_group_folders (
    id text primary key,
    instance_id text not null references instances (id) on delete cascade,
    -- Under groups/ on the disk. Its group may be deleted.
    folder text not null,
    -- When the run of the instance began that has it. Another run never mounts it.
    started bigint not null,
    since bigint not null,
    -- When the instance is stopped if it still has it then.
    ends_at bigint not null,
    -- No path leads there any more.
    unmounted boolean not null,
    -- Programs kept files of it open, though.
    still_open boolean not null,
    -- Its owner is in the group again.
    back boolean not null,
    -- When its owner was told.
    told bigint,
    -- Why it could not be unmounted, or empty.
    problem text not null,
    -- When that was tried last.
    tried bigint not null,
    constraint held_group_folders_instance_id_folder_key unique (instance_id, folder)
)
