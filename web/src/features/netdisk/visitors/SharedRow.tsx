// One entry of a shared folder. Its name is a link; a file can be downloaded right here.
import { Button, Checkbox } from "antd";
import { Link } from "react-router";
import { formatSize } from "@/shared/lib/numbers";
import { fullTime, shortTime } from "@/shared/lib/time";
import { Icon } from "@/shared/theme/Icon";
import { FileName } from "@/shared/ui/FileName";
import type { Item } from "../api";
import { asFolder, fileIn, folderIn, shownName } from "../disk-paths";
import { kindOf } from "../kinds";
import styles from "./SharedFolder.module.css";
import { type Spot, spotAddress } from "./spot";

interface SharedRowProps {
  spot: Spot;
  item: Item;
  /** Otherwise only its name is shown. */
  whole: boolean;
  selected: boolean;
  onToggle: () => void;
  onDownload: () => void;
}

export function SharedRow({ spot, item, whole, selected, onToggle, onDownload }: SharedRowProps) {
  const { label, icon } = kindOf(item);
  const name = shownName(item.name);
  const folder = asFolder(spot.path);
  const target = item.isDir ? folderIn(folder, item.name) : fileIn(folder, item.name);
  return (
    <li className={styles.row}>
      <Checkbox
        className={styles.check ?? ""}
        checked={whole && selected}
        disabled={!whole}
        aria-label={`选择 ${name}`}
        onChange={onToggle}
      />
      <Icon name={icon} className={item.isDir ? styles.dir : styles.icon} />
      {whole ? (
        <Link to={spotAddress(spot, target)} className={styles.name} draggable={false}>
          <FileName name={name} />
        </Link>
      ) : (
        <span className={styles.name} title={item.invalidName ? "名称不是 UTF-8 编码，不能单独打开" : label}>
          {name}
        </span>
      )}
      <span className={styles.size}>{item.isDir ? label : formatSize(item.size)}</span>
      <time className={styles.date} dateTime={item.modified} title={fullTime(item.modified)}>
        {shortTime(item.modified)}
      </time>
      {item.isDir || !whole ? (
        <Icon name={item.isDir ? "right" : "ban"} size={14} className={styles.into} />
      ) : (
        <Button
          type="text"
          className={styles.fetch ?? ""}
          icon={<Icon name="download" size={14} />}
          aria-label={`下载 ${name}`}
          title="下载"
          onClick={onDownload}
        />
      )}
    </li>
  );
}
