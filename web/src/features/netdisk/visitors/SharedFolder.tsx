// A shared folder's entries: walked into, looked at, selected and downloaded. Nothing in it can be dragged or changed.
import { Button, Checkbox } from "antd";
import { useState } from "react";
import { formatCount } from "@/shared/lib/numbers";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import type { ArchiveFormat, Item, Resource } from "../api";
import { asFolder, fileIn } from "../disk-paths";
import styles from "./SharedFolder.module.css";
import { SharedRow } from "./SharedRow";
import type { Spot } from "./spot";
import { useDownload } from "./useDownload";
import { VisitorCrumbs } from "./VisitorCrumbs";

interface SharedFolderProps {
  spot: Spot;
  pass: string | null;
  folder: Resource;
  /** How several are packed. */
  algo: ArchiveFormat;
}

/** Entries that can be in a URL and exist. */
const isWhole = ({ invalidName, type }: Item) => !invalidName && type !== "invalid_link";

export function SharedFolder({ spot, pass, folder, algo }: SharedFolderProps) {
  const download = useDownload(spot, pass);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const items = folder.items ?? [];
  const total = (folder.numDirs ?? 0) + (folder.numFiles ?? 0);
  const more = total - items.length;
  const choosable = items.filter(isWhole);
  // Entries that vanished meanwhile are not selected any more.
  const chosen = choosable.filter(({ name }) => selected.has(name));
  const [only, ...others] = chosen;

  function toggle(name: string) {
    const next = new Set(selected);
    if (!next.delete(name)) next.add(name);
    setSelected(next);
  }

  const toggleAll = () =>
    setSelected(new Set(chosen.length === choosable.length ? [] : choosable.map(({ name }) => name)));

  function downloadChosen() {
    if (only && others.length === 0 && !only.isDir) void download(fileIn(asFolder(spot.path), only.name));
    else void download(spot.path, { algo, names: chosen.map(({ name }) => name) });
  }

  return (
    <section className={styles.folder} aria-label="文件列表">
      <header className={styles.head}>
        <VisitorCrumbs spot={spot} root={folder.name} isDir />
        <span className={styles.count}>{formatCount(total)} 项</span>
      </header>
      {items.length === 0 ? (
        <EmptyPanel icon="folder" text="这个文件夹是空的" />
      ) : (
        <>
          <div className={styles.bar}>
            <Checkbox
              checked={chosen.length > 0 && chosen.length === choosable.length}
              indeterminate={chosen.length > 0 && chosen.length < choosable.length}
              disabled={choosable.length === 0}
              onChange={toggleAll}
            >
              {chosen.length > 0 ? `已选 ${formatCount(chosen.length)} 项` : "全选"}
            </Checkbox>
            <Button
              icon={<Icon name="download" size={14} />}
              disabled={chosen.length === 0}
              title={chosen.length === 0 ? "先选中要下载的项" : undefined}
              onClick={downloadChosen}
            >
              下载所选
            </Button>
          </div>
          <ul aria-label="文件">
            {items.map((item) => (
              <SharedRow
                key={item.path}
                spot={spot}
                item={item}
                whole={isWhole(item)}
                selected={selected.has(item.name)}
                onToggle={() => toggle(item.name)}
                onDownload={() => void download(fileIn(asFolder(spot.path), item.name))}
              />
            ))}
          </ul>
          {more > 0 && <p className={styles.more}>+ {formatCount(more)} 项未列出，下载文件夹可得到全部</p>}
        </>
      )}
    </section>
  );
}
