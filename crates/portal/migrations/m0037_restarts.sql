-- Whether an instance is started again after a restart of its server, when that was last done and the time before, and
-- since when it is under way.
alter table instances add column auto_start boolean not null default true;

alter table instances add column revived bigint;

alter table instances add column revived_before bigint;

alter table instances add column reviving bigint;

-- A restart that administrators were not told of yet: when it was noticed, how many instances were started again, and
-- how many were not.
alter table servers add column restarted bigint;

alter table servers add column restart_revived bigint not null default 0;

alter table servers add column restart_left bigint not null default 0;

-- A server that is being emptied: when what still runs there is stopped (null: it is not), what is said about it, and
-- whether the notice shortly before was sent.
alter table servers add column drain_at bigint;

alter table servers add column drain_note text not null default '';

alter table servers add column drain_warned boolean not null default false
