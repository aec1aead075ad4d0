-- The entry that is about to take the place of the shared one, as "device inode born".
-- Set before the rename and cleared after it, so that a power cut between the two leaves the link alive
-- whichever of them is there.
alter table disk_shares add column next_entry text;
