create table datasets (
    id text primary key,
    -- Also the name of its folder below the disk's `datasets`, never changes.
    name text not null,
    name_key text not null,
    title text not null,
    -- Markdown.
    description text not null,
    kind text not null,
    visibility text not null,
    user_id bigint not null,
    username text not null,
    licence text not null,
    source text not null,
    -- A picture in it, by its path from the folder down, empty: none.
    cover text not null,
    state text not null,
    -- Why it could not be made, empty otherwise.
    fault text not null,
    -- What the folder is made of: a JSON document.
    origin text not null,
    -- Null: not counted yet.
    size bigint,
    files bigint,
    -- There is more than was counted.
    partial boolean not null,
    counted bigint,
    -- Somebody wants it counted now.
    recount boolean not null,
    -- The number of the version that was made last.
    last_version bigint not null,
    created bigint not null,
    changed bigint not null,
    -- Who is removing it, while it is being removed.
    removed_by bigint,
    unique (name_key)
);

create index datasets_user on datasets (user_id);

create table labels (
    id text primary key,
    name text not null,
    name_key text not null,
    -- #rrggbb
    color text not null,
    kind text not null,
    created bigint not null,
    unique (name_key)
);

create table dataset_labels (
    dataset_id text not null references datasets (id) on delete cascade,
    label_id text not null references labels (id) on delete cascade,
    primary key (dataset_id, label_id)
);

create index dataset_labels_label on dataset_labels (label_id);

create table dataset_uses (
    dataset_id text not null references datasets (id) on delete cascade,
    instance_id text not null,
    -- Null: the dataset itself, not a version of it.
    version bigint,
    username text not null,
    used bigint not null
);

create index dataset_uses_dataset on dataset_uses (dataset_id);

create table dataset_versions (
    dataset_id text not null references datasets (id) on delete cascade,
    number bigint not null,
    note text not null,
    state text not null,
    fault text not null,
    -- Null while it is being made.
    size bigint,
    files bigint,
    kept_by text,
    -- What differs from the version before: a JSON document.
    difference text not null,
    added bigint not null,
    changed bigint not null,
    removed bigint not null,
    -- Who made it.
    username text not null,
    created bigint not null,
    -- Who is removing it, while it is being removed.
    removed_by bigint,
    primary key (dataset_id, number)
)
