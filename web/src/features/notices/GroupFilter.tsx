// The groups of which there are notices, each with how many were not read.
import { Segmented } from "antd";
import type { NoticeGroup, NoticeGroupCount } from "@/shared/notices/api";
import { groupLabels, isGroup } from "@/shared/notices/words";
import styles from "./NoticesPage.module.css";

interface GroupFilterProps {
  counts: readonly NoticeGroupCount[];
  chosen: NoticeGroup | undefined;
  onChoose: (group: NoticeGroup | undefined) => void;
}

const all = "all";

export function GroupFilter({ counts, chosen, onChoose }: GroupFilterProps) {
  // The chosen one stays, so that it can be left again, when its last notice was removed.
  const gone = chosen && !counts.some(({ group }) => group === chosen);
  const shown = gone ? [...counts, { group: chosen, total: 0, unread: 0 }] : counts;
  if (shown.length < 2 && !chosen) return null;
  const options = shown.map(({ group, unread }) => ({
    value: group,
    label: unread > 0 ? `${groupLabels[group]} ${unread}` : groupLabels[group],
  }));
  return (
    <div className={styles.groups}>
      <Segmented
        aria-label="分类"
        value={chosen ?? all}
        options={[{ value: all, label: "所有分类" }, ...options]}
        onChange={(value) => onChoose(isGroup(value) ? value : undefined)}
      />
    </div>
  );
}
