-- Which instances have which datasets and images, with the instances' names, so that neither has to ask the instances.
alter table dataset_uses add column instance_name text not null default '';

-- When the instance was released. Null: it is not.
alter table dataset_uses add column ended bigint;

update dataset_uses set instance_name =
    coalesce((select i.name from instances i where i.id = dataset_uses.instance_id), '');

update dataset_uses set ended =
    coalesce((select i.changed from instances i where i.id = dataset_uses.instance_id), used)
    where not exists (
        select 1 from instances i where i.id = dataset_uses.instance_id and i.state <> 'released'
    );

create index dataset_uses_instance on dataset_uses (instance_id);

-- Instances that are not released, by their image.
create table image_uses (
    instance_id text primary key,
    instance_name text not null,
    -- As the instance was asked for.
    image text not null
);

create index image_uses_image on image_uses (image);

insert into image_uses (instance_id, instance_name, image)
    select id, name, image from instances where state <> 'released'
