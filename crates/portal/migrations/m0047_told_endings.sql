-- Which ends of instances their owners were told of beforehand: one row for each kind of end, the last that was told.
create table told_endings (
    instance_id text not null references instances (id) on delete cascade,
    -- stop, idle_stop or release
    ending text not null,
    -- The end that was told. Another one is told anew.
    ends_at bigint not null,
    -- How long before it, in milliseconds, the last notice was due.
    before_end bigint not null,
    primary key (instance_id, ending)
)
