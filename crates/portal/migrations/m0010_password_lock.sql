-- An administrator of the disk may keep somebody from changing their own password.
alter table users add column password_locked boolean not null default false;
