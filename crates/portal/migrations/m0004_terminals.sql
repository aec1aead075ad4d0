-- The sign-in that a session comes from: renewing ends a session and opens another, and what was opened with the one
-- goes on. Null: from before this column, and then the session itself.
alter table sessions add column sign_in text;

create index sessions_sign_in on sessions (sign_in);

create table instance_samples (
    instance_id text not null references instances (id) on delete cascade,
    -- Seconds that the sample stands for: 5 or 60.
    span bigint not null,
    time bigint not null,
    -- Microseconds of CPU a second.
    cpu bigint,
    memory bigint,
    memory_limit bigint,
    -- Bytes a second.
    received bigint,
    sent bigint,
    pids bigint,
    primary key (instance_id, span, time)
);

create index instance_samples_time on instance_samples (span, time)
