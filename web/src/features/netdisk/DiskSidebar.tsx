// The disk's own sidebar: the places, the buttons for new entries, and the free space.
import { Button } from "antd";
import { Link, useNavigate } from "react-router";
import { signOut } from "@/shared/api/sign-out";
import { formatSize } from "@/shared/lib/numbers";
import { countedText } from "@/shared/lib/time";
import { Icon } from "@/shared/theme/Icon";
import { Meter } from "@/shared/ui/Meter";
import type { Permit } from "./actions";
import styles from "./DiskSidebar.module.css";
import { useDisk } from "./disk-context";
import { diskRoot, filesAddress } from "./disk-paths";
import { DropLink } from "./operations/DropLink";
import { type Place, trashPlace } from "./places";

export interface Room {
  total: number;
  used: number;
  /** The part of it that the user's datasets and their versions take. */
  datasets: number;
  /** 0 without a limit. */
  quota: number;
  /** When it was counted. */
  counted: string;
}

interface DiskSidebarProps {
  places: readonly Place[];
  current: Place | undefined;
  /** The bin is open. */
  trash: boolean;
  room: Room | undefined;
  newFolder: Permit;
  onNewFolder: () => void;
  onNewFile: () => void;
  /** A place was chosen, possibly the shown one. */
  onLeave?: () => void;
}

export function DiskSidebar(props: DiskSidebarProps) {
  const { admin, viewer } = useDisk();
  const { places, current, trash, room, newFolder, onNewFolder, onNewFile, onLeave } = props;
  const navigate = useNavigate();

  async function leave() {
    await signOut();
    await navigate("/login");
  }

  return (
    <div className={styles.side}>
      <nav aria-label="网盘位置">
        {places.map((place) => (
          <DropLink
            key={place.path}
            folder={place.path}
            to={filesAddress(place.path)}
            className={place.path === current?.path ? `${styles.place} ${styles.current}` : styles.place}
            aria-current={place.path === current?.path ? "true" : undefined}
            onClick={onLeave}
          >
            <Icon name={place.icon} />
            <span className={styles.title}>{place.title}</span>
          </DropLink>
        ))}
      </nav>
      {!newFolder.hidden && (
        <div className={styles.make}>
          <Button
            type="text"
            block
            className={styles.button ?? ""}
            icon={<Icon name="newFolder" />}
            disabled={newFolder.reason !== undefined}
            title={newFolder.reason}
            onClick={onNewFolder}
          >
            新建文件夹
          </Button>
          <Button
            type="text"
            block
            className={styles.button ?? ""}
            icon={<Icon name="newFile" />}
            disabled={newFolder.reason !== undefined}
            title={newFolder.reason}
            onClick={onNewFile}
          >
            新建文件
          </Button>
        </div>
      )}
      <nav aria-label="网盘的其他部分" className={styles.make}>
        <Link to="/settings/netdisk_settings/shares" className={styles.place} onClick={onLeave}>
          <Icon name="share" />
          <span className={styles.title}>{admin ? "分享管理" : "我的分享"}</span>
        </Link>
        {viewer.perm.delete && (
          <Link
            to={{ pathname: filesAddress(diskRoot), search: `?place=${trashPlace}` }}
            className={trash ? `${styles.place} ${styles.current}` : styles.place}
            aria-current={trash ? "true" : undefined}
            onClick={onLeave}
          >
            <Icon name="trash" />
            <span className={styles.title}>回收站</span>
          </Link>
        )}
        <Link to="/settings/netdisk_settings/profile" className={styles.place} onClick={onLeave}>
          <Icon name="gear" />
          <span className={styles.title}>网盘设置</span>
        </Link>
        <Button
          type="text"
          block
          className={styles.button ?? ""}
          icon={<Icon name="exit" />}
          onClick={() => void leave()}
        >
          退出登录
        </Button>
      </nav>
      {room && <RoomLeft room={room} />}
    </div>
  );
}

function RoomLeft({ room: { total, used, datasets, quota, counted } }: { room: Room }) {
  const limit = quota || total;
  const percent = limit > 0 ? Math.floor((used / limit) * 100) : 0;
  return (
    <div className={styles.room}>
      <div className={styles.numbers}>
        <span>
          {formatSize(used)} / {formatSize(limit)}
        </span>
        <span className={styles.percent}>{percent}%</span>
      </div>
      <Meter label="已用空间" used={used} limit={limit} mine />
      {datasets > 0 && <div className={styles.percent}>其中数据集和版本 {formatSize(datasets)}</div>}
      <div className={styles.percent}>
        {quota > 0 ? `还可用 ${formatSize(Math.max(0, quota - used))}` : "没有配额，上限是整个磁盘"}
      </div>
      <div className={styles.percent}>{countedText(counted)}</div>
      {quota > 0 && used > quota && (
        <div role="status" className={styles.over}>
          已超出配额 {formatSize(used - quota)}。文件都在，可以查看、下载、移出和删除，但不能再增加内容
        </div>
      )}
    </div>
  );
}
