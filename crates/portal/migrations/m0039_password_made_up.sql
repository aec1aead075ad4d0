-- The program made the password up and showed it where others may have read it, and its owner has not chosen another
alter table users add column password_made_up boolean not null default false
