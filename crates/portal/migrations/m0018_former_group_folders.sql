-- Shared folders on the disk whose group was deleted. No other group gets them.
create table former_group_folders (
    folder_key text primary key
);
