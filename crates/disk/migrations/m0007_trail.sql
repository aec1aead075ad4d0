-- Entries of the audit trail that the portal does not have in its operate log yet.
create table disk_trail (
    -- Sorts by when it was made.
    id text primary key,
    -- JSON.
    event text not null
)
