-- Who holds what on a server, and what was refused: one row a request. It outlives instances and servers, so it refers
-- to neither.
create table reservations (
    id text primary key,
    -- Null when an instance that was to be made was refused.
    instance_id text,
    -- Empty in that case.
    instance_name text not null,
    user_id bigint not null,
    server_id text not null,
    -- The request: a JSON list of particular cards (empty: any), how many cards, microseconds of CPU per 100 000 µs, and
    -- bytes of memory (null: the share of the server for so many cards).
    gpus text not null,
    gpu_count bigint not null,
    cpu bigint,
    memory bigint,
    -- granted, ended or refused.
    state text not null,
    -- Why it was refused, as a code.
    reason text,
    -- What it holds, or held in the end.
    granted_cpu bigint,
    granted_memory bigint,
    requested bigint not null,
    granted bigint,
    -- When it was given back, or refused. Null while it is held.
    ended bigint
);

create unique index reservations_instance_id_key on reservations (instance_id) where state = 'granted';

create index reservations_user on reservations (user_id, state, requested);

create index reservations_server on reservations (server_id) where state = 'granted';

-- Null in leases that ended before there were reservations.
alter table gpu_leases add column reservation_id text;

-- What instances hold at this moment. It was granted when their cards were leased. Without cards that is when they left
-- the last state in which they held nothing, as their history has it: a restart keeps what is held, and begins anew what
-- the instance calls its start. Places in the history are compared, not times, since clocks may have run ahead.
insert into reservations (id, instance_id, instance_name, user_id, server_id, gpus, gpu_count, cpu, memory, state,
    granted_cpu, granted_memory, requested, granted)
    select id, id, name, user_id, server_id, '[]', cards, cpu_quota, memory, 'granted', cpu_quota, memory, since, since
    from (
        select i.id, i.name, i.user_id, i.server_id, i.cpu_quota, i.memory,
            (select count(*) from gpu_leases l where l.instance_id = i.id and l.until is null) as cards,
            coalesce(
                (select min(l.since) from gpu_leases l where l.instance_id = i.id and l.until is null),
                (select s.time from instance_states s where s.id = (
                    select min(begun.id) from instance_states begun where begun.instance_id = i.id
                    and begun.id > coalesce((
                        select max(idle.id) from instance_states idle
                        where idle.instance_id = i.id and idle.state in ('stopped', 'error')
                    ), 0)
                )),
                i.started,
                i.created
            ) as since
        from instances i
        where i.state not in ('stopped', 'error', 'released')
    ) as holding;

update gpu_leases set reservation_id = instance_id
    where until is null and instance_id in (select instance_id from reservations)
