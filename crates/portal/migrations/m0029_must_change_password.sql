-- Somebody else set their password: they choose one of their own when they sign in.
alter table users add column must_change_password boolean not null default false
