-- What each instance used on each day, added up of leases and samples, which are kept less long. A day is a number
-- such as 20261120, of the lab's time (+08:00). It outlives people, groups, servers and instances, so it refers to none.
create table usage_days (
    day bigint not null,
    instance_id text not null,
    user_id bigint not null,
    username text not null,
    server_id text not null,
    -- Milliseconds that cards were held, summed over the cards.
    held bigint not null,
    -- Of these, those in which the card told its utilization.
    measured bigint not null,
    -- The utilization over these: a card at 50 % for 2 ms is 1.
    used bigint not null,
    -- Milliseconds of one core.
    cpu bigint not null,
    primary key (day, instance_id)
);

create index usage_days_user on usage_days (user_id, day);

-- The groups that people with use were in on a day.
create table usage_groups (
    day bigint not null,
    user_id bigint not null,
    group_id bigint not null,
    name text not null,
    primary key (day, user_id, group_id)
);

create index usage_groups_group on usage_groups (group_id, day);

-- Up to which moment each day was added up. A day that is added up to its end is never looked at again.
create table usage_progress (
    day bigint primary key,
    until bigint not null
)
