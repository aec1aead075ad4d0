-- What it opens: the files of the disk, or ssh.
alter table app_passwords add column kind text not null default 'files'
