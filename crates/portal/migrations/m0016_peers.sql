-- Which portal of several on this database does what only one may, by what its keys are known by.
create table leads (
    topic text primary key,
    signing_key text not null,
    -- Something that only the right sealing key opens.
    sealed text not null
);

-- What the portal that looks after a server knows of it at present, for the other portals.
create table server_reports (
    server_id text primary key references servers (id) on delete cascade,
    report text not null
);

-- The data folder of the portal that runs a job, and when that portal last said so.
alter table image_jobs add column portal text not null default '';

alter table image_jobs add column seen bigint not null default 0
