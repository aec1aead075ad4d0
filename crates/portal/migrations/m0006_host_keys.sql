-- What SSH servers proved to be, at the first time.
create table host_keys (
    server_id text not null references servers (id) on delete cascade,
    host text not null,
    port bigint not null,
    -- Empty: the server's own. The port of an instance is somebody else's later.
    instance_id text not null,
    algorithm text not null,
    -- As in `known_hosts`.
    key text not null,
    trusted_by text not null,
    time bigint not null,
    primary key (server_id, host, port, instance_id)
)
