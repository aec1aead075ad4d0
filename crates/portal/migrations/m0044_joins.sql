-- Servers that are being added by one command: one row a token. The token itself is not kept.
create table joins (
    id text primary key,
    -- SHA-256 of the token, in hexadecimal digits.
    digest text not null,
    -- The administrator who made it.
    user_id bigint not null,
    username text not null,
    created bigint not null,
    -- Nobody begins with it from then on.
    expires bigint not null,
    -- The server to be.
    name text not null,
    host text not null,
    port bigint not null,
    storage_path text not null,
    -- What is mounted there, as in nas:/export (empty: nothing is mounted by the script).
    storage_source text not null,
    -- The address of the portal as the server reaches it.
    portal text not null,
    -- What the script trusts, so that it has the same SHA-256 from every portal and after a renewal: the SHA-256 of the
    -- public key of the portal's certificate (empty: none) and of the engines' authority, in base64.
    pin text not null,
    authority text not null,
    -- waiting, running, done, failed or withdrawn.
    state text not null,
    -- The public key that it was begun with, and from where (empty: not begun).
    public_key text not null,
    address text not null,
    begun bigint,
    finished bigint,
    -- JSON: what the machine says of itself (null: nothing yet), and the last word on each step.
    machine text,
    steps text not null,
    -- The server that was added (null: none yet). It may be gone.
    server_id text
);

create unique index joins_digest_key on joins (digest);

create index joins_created on joins (created);

-- Who signs the certificates of engines and of the portal towards them: one row.
create table engine_authorities (
    id text primary key,
    -- PEM.
    certificate text not null,
    -- Sealed.
    signing_key text not null,
    created bigint not null
);

-- Images on servers that administrators do not offer to people. Anybody may still name one.
create table unoffered_images (
    -- As engines call it: repository:tag.
    image text primary key,
    username text not null,
    created bigint not null
)
