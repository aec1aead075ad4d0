-- By which clients recognise the SSH gateway: the same for every portal, and after a restore.
create table ssh_host_keys (
    -- There is one: gateway.
    name text primary key,
    -- The private key in the format of OpenSSH, sealed.
    sealed text not null,
    created bigint not null
)
