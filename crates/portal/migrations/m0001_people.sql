create table users (
    id {id},
    username text not null,
    username_key text not null unique,
    name text not null,
    email text not null,
    phone text not null,
    role bigint not null,
    avatar text not null,
    introduction text not null,
    active boolean not null,
    source text not null,
    password_hash text,
    instance_limit bigint not null,
    instance_limit_offset bigint not null,
    gpu_limit bigint not null,
    cpu_quota bigint not null,
    memory_limit bigint not null,
    disk_quota bigint not null,
    group_leader boolean not null,
    created bigint not null,
    last_login bigint
);

create table groups (
    id {id},
    name text not null,
    name_key text not null unique,
    description text not null,
    folder text not null,
    folder_key text not null unique,
    instance_limit bigint not null,
    gpu_limit bigint not null,
    cpu_quota bigint not null,
    memory_limit bigint not null,
    disk_quota bigint not null,
    created bigint not null
);

create table group_members (
    group_id bigint not null references groups (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    leader boolean not null,
    added bigint not null,
    primary key (group_id, user_id)
);

create index group_members_user on group_members (user_id);

create table sessions (
    id text primary key,
    user_id bigint not null references users (id) on delete cascade,
    created bigint not null,
    expires bigint not null,
    address text not null,
    user_agent text not null
);

create index sessions_user on sessions (user_id);

create index sessions_expires on sessions (expires);

create table settings (
    part text primary key,
    content text not null,
    changed bigint not null
);

create table login_logs (
    id {id},
    time bigint not null,
    user_id bigint,
    username text not null,
    address text not null,
    user_agent text not null,
    action text not null,
    result text not null
);

create index login_logs_time on login_logs (time);

create table operate_logs (
    id {id},
    time bigint not null,
    user_id bigint,
    username text not null,
    address text not null,
    action text not null,
    target text not null,
    detail text not null,
    result text not null,
    request_id text not null
);

create index operate_logs_time on operate_logs (time)
