create table images (
    id text primary key,
    repository text not null,
    tag text not null,
    -- The engines' id of it, which is the digest of its configuration.
    digest text not null,
    -- Digest of its manifest in the registry. Empty: it is in none.
    manifest text not null,
    user_id bigint not null,
    username text not null,
    visibility text not null,
    description text not null,
    size bigint not null,
    -- What it is made of: a JSON document.
    described text not null,
    created bigint not null,
    -- Deleted, but not yet everywhere: nobody may use it by its name.
    deleted bigint,
    unique (repository, tag)
);

create index images_user on images (user_id);

create index images_digest on images (digest);

create table image_servers (
    image_id text not null references images (id) on delete cascade,
    server_id text not null references servers (id) on delete cascade,
    primary key (image_id, server_id)
);

create table image_jobs (
    id text primary key,
    kind text not null,
    state text not null,
    image text not null,
    server_id text not null,
    user_id bigint not null,
    username text not null,
    -- What was asked for: a JSON document.
    task text not null,
    percent bigint,
    bytes bigint not null,
    log text not null,
    error text not null,
    created bigint not null,
    started bigint,
    ended bigint
);

create index image_jobs_user on image_jobs (user_id, created);

create index image_jobs_state on image_jobs (state);

create index image_jobs_image on image_jobs (image);

create table registries (
    -- host or host:port, as images' names begin.
    address text primary key,
    username text not null,
    -- Sealed. Null without an account.
    password text,
    -- Images that the lab makes are sent there.
    push boolean not null
)
