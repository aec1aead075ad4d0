-- Null: it goes on until it is deleted.
alter table app_passwords add column expires bigint;

-- The folder of the disk that it opens, as its owner says the path. Null: all that they see.
alter table app_passwords add column folder text
