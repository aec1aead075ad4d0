// The line above a file that is looked at: its name, its place among its siblings, and what can be done with it.
import { Button } from "antd";
import { formatSize } from "@/shared/lib/numbers";
import { fileTime, fullTime } from "@/shared/lib/time";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import type { Permit, Permits } from "../actions";
import type { Resource } from "../api";
import { shownName } from "../disk-paths";
import { isText, isViewable } from "./FileContent";
import styles from "./PreviewBar.module.css";
import type { Siblings } from "./siblings";

interface PreviewBarProps {
  file: Resource;
  siblings: Siblings;
  permits: Permits;
  on: {
    back: () => void;
    previous: () => void;
    next: () => void;
    download: () => void;
    rename: () => void;
    remove: () => void;
  };
}

const open: Permit = { hidden: false, reason: undefined };
const unless = (there: boolean, reason: string): Permit => (there ? open : { hidden: false, reason });

export function PreviewBar({ file, siblings, permits, on }: PreviewBarProps) {
  const { previous, next, at, count } = siblings;
  return (
    <section className={styles.bar} aria-label="文件操作">
      <BarIcon icon="left" label="返回文件夹" hint="返回文件夹（Esc）" permit={open} onClick={on.back} />
      <h2 className={styles.name} title={shownName(file.name)}>
        {shownName(file.name)}
      </h2>
      <span className={styles.facts}>
        {formatSize(file.size)} · <time title={fullTime(file.modified)}>{fileTime(file.modified)}</time>
      </span>
      <span className={styles.actions}>
        {at > 0 && (
          <span className={styles.at}>
            {at} / {count}
          </span>
        )}
        {!isText(file) && (
          <>
            <BarIcon
              icon="left"
              label="上一个"
              hint="上一个（←）"
              permit={unless(previous !== undefined, "前面没有了")}
              onClick={on.previous}
            />
            <BarIcon
              icon="right"
              label="下一个"
              hint="下一个（→）"
              permit={unless(next !== undefined, "后面没有了")}
              onClick={on.next}
            />
          </>
        )}
        {isViewable(file) && (
          <BarIcon
            icon="download"
            label="下载"
            hint="下载（Ctrl+S）"
            permit={permits.download}
            onClick={on.download}
          />
        )}
        <BarIcon
          icon="rename"
          label="重命名"
          hint="重命名（F2）"
          permit={permits.rename}
          onClick={on.rename}
        />
        <BarIcon
          icon="trash"
          label="删除"
          hint="删除（Delete）"
          permit={permits.remove}
          onClick={on.remove}
          danger
        />
      </span>
    </section>
  );
}

interface BarIconProps {
  icon: IconName;
  label: string;
  hint: string;
  permit: Permit;
  danger?: boolean;
  onClick: () => void;
}

function BarIcon({ icon, label, hint, permit, danger = false, onClick }: BarIconProps) {
  if (permit.hidden) return null;
  return (
    <Button
      type="text"
      danger={danger}
      icon={<Icon name={icon} size={14} />}
      aria-label={label}
      aria-description={permit.reason}
      title={permit.reason ?? hint}
      disabled={permit.reason !== undefined}
      onClick={onClick}
    />
  );
}
