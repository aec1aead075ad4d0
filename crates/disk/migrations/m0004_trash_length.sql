-- Bytes that the deleted files hold, where size is what they take. Null for what was deleted before this was noted.
alter table disk_trash add column length bigint
