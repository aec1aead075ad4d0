-- Goes up with every change, so that nobody writes over a change that they have not seen.
alter table instances add column version bigint not null default 1
