-- Faults of the lab: one row an episode, from when the fault was seen until it was gone.
create table alerts (
    id text primary key,
    kind text not null,
    -- What it is about, such as a server's id. The object may be gone.
    object text not null,
    -- What people call the object.
    name text not null,
    severity text not null,
    -- What is wrong, in a sentence.
    words text not null,
    -- The page where something can be done about it, below the portal's address.
    link text not null,
    since bigint not null,
    last_seen bigint not null,
    -- Null while the fault is there.
    resolved bigint,
    -- The highest severity that was told in this episode (null: nothing was told).
    told text,
    -- Nobody is told before this time (null: it is not silenced).
    silenced_until bigint,
    silenced_by text not null
);

-- One fault of an object is one episode at a time.
create unique index alerts_firing on alerts (kind, object) where resolved is null;

create index alerts_since on alerts (since);

-- The lists of what is told have no words for alerts yet: who is told of findings is told of faults too.
update webhook set events = replace(events, '"finding"', '"finding","alert_firing","alert_resolved"');

update mail_settings set kinds = replace(kinds, '"finding"', '"finding","alert_firing","alert_resolved"')
