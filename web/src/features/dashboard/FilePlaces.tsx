// The way into the network disk: the places that this person has there.
import { Link } from "react-router";
import { Icon } from "@/shared/theme/Icon";
import { Panel } from "@/shared/ui/Panel";
import styles from "./feed.module.css";

interface FilePlacesProps {
  admin: boolean;
  groups: readonly string[];
}

interface Place {
  path: string;
  title: string;
  note: string;
}

/** An administrator's root is the disk itself; others see their own folder as `home`. */
function placesOf({ admin, groups }: FilePlacesProps): Place[] {
  const shared: Place = { path: "groups/", title: "组共享", note: admin ? "所有用户组" : groups.join("、") };
  return [
    admin
      ? { path: "home/", title: "个人文件夹", note: "所有用户" }
      : { path: "home/", title: "我的文件", note: "只有自己能看到" },
    ...(admin || groups.length > 0 ? [shared] : []),
    { path: "share/", title: "公共共享", note: "所有人都能看到" },
    { path: "datasets/", title: "数据集", note: "只读" },
  ];
}

export function FilePlaces(props: FilePlacesProps) {
  const open = (
    <Link to="/netdisk/files/" className={styles.more}>
      打开网盘
    </Link>
  );
  return (
    <Panel title="网盘" extra={open}>
      <ul className={styles.feed}>
        {placesOf(props).map(({ path, title, note }) => (
          <li key={path}>
            <Link to={`/netdisk/files/${path}`} className={styles.row}>
              <Icon name="folder" />
              <span className={styles.words}>{title}</span>
              <span className={styles.note}>{note}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
