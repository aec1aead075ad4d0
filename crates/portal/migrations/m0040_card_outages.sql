-- Where a card sits on its machine, which is how the kernel's log names it.
alter table gpus add column pci text not null default '';

-- Cards that are out of order: from when that was seen until a test run or an administrator ended it.
create table card_outages (
    id text primary key,
    gpu_id text not null references gpus (id) on delete cascade,
    -- manual, unreadable, lost, needs_reset, memory_errors, rows_pending, rows_failed or xid.
    reason text not null,
    -- What is wrong, in a sentence.
    detail text not null,
    since bigint not null,
    -- The administrator who marked it (empty: the portal saw it).
    seen_by text not null,
    -- Null while it lasts.
    ended bigint,
    -- tested or by_hand (null: it lasts), by whom, and what the test run found.
    ending text,
    ended_by text not null,
    result text not null
);

-- One at a time.
create unique index card_outages_open on card_outages (gpu_id) where ended is null;

create index card_outages_since on card_outages (gpu_id, since);

-- Xids of a card in one boot of its machine: how often each was reported, and the words of the last report.
create table card_xids (
    gpu_id text not null references gpus (id) on delete cascade,
    boot text not null,
    code bigint not null,
    times bigint not null,
    words text not null,
    first_seen bigint not null,
    last_seen bigint not null,
    primary key (gpu_id, boot, code)
);

create index card_xids_last_seen on card_xids (last_seen);

-- How far a machine's kernel log was read: its boot, and microseconds since then.
create table kernel_log_marks (
    server_id text primary key references servers (id) on delete cascade,
    boot text not null,
    read_to bigint not null
);

-- Whoever is told that a server took an instance along is told that a card did.
update mail_settings set kinds = replace(kinds, '"instance_restarted"', '"instance_restarted","card_fault"')
