-- Which engine it is, so that none is added twice. Null until it has answered.
alter table servers add column identity text;
create unique index servers_identity_key on servers (identity);
-- Why it counts as unreachable though its address answers. Empty: it does not.
alter table servers add column misdirected text not null default '';
