// Which group is looked at: a list beside the members, a select above them where the window is narrow.
import { Select } from "antd";
import { media, useMediaQuery } from "@/shared/lib/use-media-query";
import { SearchInput } from "@/shared/table/SearchInput";
import { Panel } from "@/shared/ui/Panel";
import type { Group } from "./api";
import styles from "./GroupChooser.module.css";

interface GroupChooserProps {
  groups: readonly Group[];
  chosen: number | undefined;
  search: string;
  onSearch: (search: string) => void;
  onChoose: (group: number) => void;
}

export function GroupChooser({ groups, chosen, search, onSearch, onChoose }: GroupChooserProps) {
  const narrow = useMediaQuery(media.mobile);
  if (narrow) {
    return (
      <Select
        aria-label="用户组"
        value={chosen}
        options={groups.map(({ id, name, memberCount }) => ({
          value: id,
          label: `${name}（${memberCount} 人）`,
        }))}
        showSearch={{ optionFilterProp: "label" }}
        onChange={onChoose}
      />
    );
  }
  return (
    <Panel label="用户组">
      <div className={styles.search}>
        <SearchInput placeholder="查找用户组" value={search} onSearch={onSearch} width="100%" />
      </div>
      <ul className={styles.list}>
        {groups.map(({ id, name, memberCount }) => (
          <li key={id}>
            <button
              type="button"
              className={styles.group}
              aria-current={id === chosen}
              title={name}
              onClick={() => onChoose(id)}
            >
              <span>{name}</span>
              <small>{memberCount}</small>
            </button>
          </li>
        ))}
        {groups.length === 0 && <li className={styles.none}>没有找到</li>}
      </ul>
    </Panel>
  );
}
