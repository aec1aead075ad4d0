-- Whether the portal may act on the server's machine through the machine helper.
alter table servers add column machine_helper boolean not null default true;
