-- Where instances run, and how that is reached. A server is a machine (node) of one, and the engine of a server is a
-- cluster of one node.
create table clusters (
    -- That of a cluster of one node is its node's: keys were sealed for it.
    id text primary key,
    -- Which driver it takes: docker.
    kind text not null,
    address text not null,
    -- Certificates and key, sealed. Null for an engine without TLS.
    tls text,
    -- Which engine it is, so that none is added twice. Null until it has answered.
    identity text,
    -- Why it counts as unreachable though its address answers. Empty: it does not.
    misdirected text not null
);

insert into clusters (id, kind, address, tls, identity, misdirected)
    select id, 'docker', endpoint, tls, identity, misdirected from servers;

create unique index clusters_identity_key on clusters (identity);

-- Null in no row. SQLite adds no other column that refers to a table.
alter table servers add column cluster_id text references clusters (id);

update servers set cluster_id = id;

create index servers_cluster on servers (cluster_id);

drop index servers_identity_key;

alter table servers drop column endpoint;

alter table servers drop column tls;

alter table servers drop column identity;

alter table servers drop column misdirected
