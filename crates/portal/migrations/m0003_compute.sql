create table servers (
    id text primary key,
    name text not null,
    name_key text not null unique,
    endpoint text not null,
    -- Certificates and key, sealed. Null for an engine without TLS.
    tls text,
    public_host text not null,
    port_from bigint not null,
    port_to bigint not null,
    storage_path text not null,
    enabled boolean not null,
    schedulable boolean not null,
    maintenance_note text not null,
    reserved_cpu bigint not null,
    reserved_memory bigint not null,
    local boolean not null,
    reachable boolean not null,
    -- What the engine last said of itself, and what the last check found: JSON documents.
    facts text,
    checks text,
    last_seen bigint,
    created bigint not null
);

create table gpus (
    id text primary key,
    server_id text not null references servers (id) on delete cascade,
    uuid text not null,
    position bigint not null,
    kind text not null,
    model text not null,
    memory_total bigint not null,
    device_nodes text not null,
    excluded boolean not null,
    fault text not null,
    missing boolean not null,
    -- The container that is not ours and has the card.
    external text not null,
    last_seen bigint,
    unique (server_id, uuid)
);

-- The one truth on whether a card is taken, and the ledger of use. It outlives cards and
-- instances, so it refers to neither.
create table gpu_leases (
    id {id},
    gpu_id text not null,
    server_id text not null,
    instance_id text not null,
    user_id bigint not null,
    since bigint not null,
    until bigint
);

create unique index gpu_leases_gpu_id_key on gpu_leases (gpu_id) where until is null;

create index gpu_leases_instance on gpu_leases (instance_id);

create index gpu_leases_user on gpu_leases (user_id, since);

create table gpu_samples (
    gpu_id text not null references gpus (id) on delete cascade,
    -- Seconds that the sample stands for: 5 or 60.
    span bigint not null,
    time bigint not null,
    utilization bigint,
    memory_used bigint,
    temperature bigint,
    power bigint,
    primary key (gpu_id, span, time)
);

create index gpu_samples_time on gpu_samples (span, time);

create table allocations (
    id text primary key,
    server_id text not null references servers (id) on delete cascade,
    subject text not null,
    -- Null when everyone is meant.
    subject_id bigint,
    exclusive boolean not null,
    -- A JSON list of cards. Empty: all of the server.
    gpus text not null,
    instance_limit bigint not null,
    gpu_limit bigint not null,
    cpu_limit bigint not null,
    memory_limit bigint not null,
    valid_from bigint,
    valid_until bigint,
    note text not null,
    created bigint not null
);

create index allocations_server on allocations (server_id);

create table instances (
    id text primary key,
    name text not null unique,
    user_id bigint not null,
    username text not null,
    server_id text not null,
    image text not null,
    image_digest text not null,
    note text not null,
    -- The cards that it has or, while it is stopped, will take again: a JSON list.
    gpus text not null,
    cpu_quota bigint not null,
    memory bigint not null,
    shm_size bigint not null,
    pids_limit bigint not null,
    env text not null,
    command text not null,
    mounts text not null,
    generation bigint not null,
    -- The image that holds the root while the container is made anew.
    root_image text not null,
    desired text not null,
    state text not null,
    state_reason text not null,
    engine_id text not null,
    -- Complete lists in a row in which its container was not.
    missed bigint not null,
    -- CPU and memory were changed and the engine was not told yet.
    resize boolean not null,
    attempts bigint not null,
    retry_at bigint,
    created bigint not null,
    changed bigint not null,
    started bigint,
    stop_at bigint,
    keep_until bigint
);

create index instances_user on instances (user_id);

create index instances_server on instances (server_id, state);

create table instance_states (
    id {id},
    instance_id text not null references instances (id) on delete cascade,
    time bigint not null,
    state text not null,
    reason text not null,
    -- Who caused it. Empty: the portal itself.
    actor text not null
);

create index instance_states_instance on instance_states (instance_id);

create table instance_ports (
    id {id},
    instance_id text not null references instances (id) on delete cascade,
    server_id text not null,
    name text not null,
    container_port bigint not null,
    protocol text not null,
    host_port bigint not null,
    released bigint
);

create unique index instance_ports_server_id_host_port_key on instance_ports (server_id, host_port) where released is null;

create index instance_ports_instance on instance_ports (instance_id)
