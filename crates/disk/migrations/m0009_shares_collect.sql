-- Bytes and files that visitors may send by this link in all. Both are 0 for a link that is read.
alter table disk_shares add column max_bytes bigint not null default 0;
alter table disk_shares add column max_files bigint not null default 0;
-- What they have sent. An upload is counted before its file gets its place.
alter table disk_shares add column received_bytes bigint not null default 0;
alter table disk_shares add column received_files bigint not null default 0;
-- How often visitors have opened it.
alter table disk_shares add column views bigint not null default 0;
-- When they last opened it, fetched from it or sent to it: milliseconds since 1970, 0 = never.
alter table disk_shares add column last_visit bigint not null default 0
