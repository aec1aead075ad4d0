-- A version whose files are partly or all those of the version before said that it is a copy.
update dataset_versions set kept_by = 'mixed'
    where kept_by = 'copy' and added + changed > 0 and files > added + changed;
update dataset_versions set kept_by = 'hardlink'
    where kept_by = 'copy' and added + changed = 0 and files > 0;
