-- How many datasets and versions there may be, as the disk told it last, one row at most.
create table dataset_limits (
    id text primary key,
    -- Of one person.
    datasets bigint not null,
    -- Of one dataset.
    versions bigint not null
);

-- Who was told that they are over the quota of the disk and has not been well below it since.
create table disk_over (
    user_id bigint primary key references users (id) on delete cascade,
    since bigint not null
)
