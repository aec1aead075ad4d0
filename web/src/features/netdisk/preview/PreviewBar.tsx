// The line above a previewed file: its name, its position among its siblings, and the actions on it.
import { Button, Segmented } from "antd";
import { formatSize } from "@/shared/lib/numbers";
import { fileTime, fullTime } from "@/shared/lib/time";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { FileName } from "@/shared/ui/FileName";
import type { Permit, Permits } from "../actions";
import type { Resource } from "../api";
import { shownName } from "../disk-paths";
import type { SourceView } from "../viewing/useSourceView";
import { isText, isViewable } from "./FileContent";
import styles from "./PreviewBar.module.css";
import type { Siblings } from "./siblings";

interface PreviewBarProps {
  file: Resource;
  siblings: Siblings;
  permits: Permits;
  /** How its content is shown; nothing without the permission to see it. */
  view: SourceView | null;
  /** Something of the source is not saved: leaving it would lose that. */
  dirty: boolean;
  on: Record<"back" | "previous" | "next" | "download" | "share" | "rename" | "remove", () => void>;
}

const open: Permit = { hidden: false, reason: undefined };
const unless = (there: boolean, reason: string): Permit => (there ? open : { hidden: false, reason });

/** The actions at the end of the line; on a phone they have a line of their own. */
function actionsOf({ file, siblings, permits, on }: PreviewBarProps): BarAction[] {
  const { previous, next } = siblings;
  const steps: BarAction[] = [
    {
      icon: "left",
      label: "上一个",
      keys: "←",
      permit: unless(previous !== undefined, "前面没有了"),
      onClick: on.previous,
    },
    {
      icon: "right",
      label: "下一个",
      keys: "→",
      permit: unless(next !== undefined, "后面没有了"),
      onClick: on.next,
    },
  ];
  const download: BarAction = {
    icon: "download",
    label: "下载",
    keys: "Ctrl+S",
    permit: permits.download,
    onClick: on.download,
  };
  return [
    ...(isText(file) ? [] : steps),
    ...(isViewable(file) ? [download] : []),
    { icon: "share", label: "分享", permit: permits.share, onClick: on.share },
    { icon: "rename", label: "重命名", keys: "F2", permit: permits.rename, onClick: on.rename },
    {
      icon: "trash",
      label: "删除",
      keys: "Delete",
      permit: permits.remove,
      onClick: on.remove,
      danger: true,
    },
  ];
}

export function PreviewBar(props: PreviewBarProps) {
  const { file, siblings, view, dirty, on } = props;
  const { at, count } = siblings;
  const name = shownName(file.name);
  return (
    <section className={styles.bar} aria-label="文件操作">
      <BarIcon icon="left" label="返回文件夹" keys="Esc" permit={open} onClick={on.back} />
      <h2 className={styles.name}>
        <FileName name={name} />
      </h2>
      <span className={styles.facts}>
        {formatSize(file.size)} · <time title={fullTime(file.modified)}>{fileTime(file.modified)}</time>
      </span>
      {view?.both && (
        <Segmented<"view" | "source">
          size="small"
          aria-label="显示方式"
          value={view.asSource ? "source" : "view"}
          options={[
            { value: "view", label: "预览", disabled: dirty, title: dirty ? "先保存修改" : "" },
            { value: "source", label: "源码" },
          ]}
          onChange={view.show}
        />
      )}
      <span className={styles.actions}>
        {at > 0 && (
          <span className={styles.at}>
            {at} / {count}
          </span>
        )}
        {actionsOf(props).map((action) => (
          <BarIcon key={action.label} {...action} />
        ))}
      </span>
    </section>
  );
}

interface BarAction {
  icon: IconName;
  label: string;
  /** The keyboard shortcut. */
  keys?: string;
  permit: Permit;
  danger?: boolean;
  onClick: () => void;
}

function BarIcon({ icon, label, keys, permit, danger = false, onClick }: BarAction) {
  if (permit.hidden) return null;
  return (
    <Button
      type="text"
      danger={danger}
      icon={<Icon name={icon} size={14} />}
      aria-label={label}
      aria-description={permit.reason}
      title={permit.reason ?? (keys ? `${label}（${keys}）` : label)}
      disabled={permit.reason !== undefined}
      onClick={onClick}
    />
  );
}
