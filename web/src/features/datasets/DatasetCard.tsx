// A dataset in the list: picture, description, size and owner.
import { Link } from "react-router";
import { visibilityLooks } from "@/shared/images/visibility";
import { Icon } from "@/shared/theme/Icon";
import { TimeText } from "@/shared/ui/TimeText";
import type { Dataset } from "./api";
import { Cover } from "./Cover";
import styles from "./DatasetShowPage.module.css";
import { LabelTags } from "./LabelTag";
import { infoLink } from "./links";
import { contentText, titleOf } from "./text";
import { typeLabels } from "./words";

export function DatasetCard({ dataset }: { dataset: Dataset }) {
  const { id, name, title, type, labels, visibility, owner, state, fault, uses, changed } = dataset;
  const { icon, label, note } = visibilityLooks[visibility];
  return (
    <li className={styles.card}>
      <Cover dataset={dataset} />
      <div className={styles.about}>
        <Link className={styles.name} to={infoLink(id)}>
          {titleOf(dataset)}
        </Link>
        {title && <code className={styles.folder}>{name}</code>}
        {labels.length > 0 && <LabelTags labels={labels} />}
        <div className={styles.facts}>
          <span>{typeLabels[type]}</span>
          <State state={state} fault={fault} content={contentText(dataset)} />
        </div>
        <div className={styles.facts}>
          <span title={note}>
            <Icon name={icon} size={14} /> {label}
          </span>
          <span>{owner.username}</span>
          <span>{uses} 次使用</span>
          <TimeText time={changed} />
        </div>
      </div>
    </li>
  );
}

function State({ state, fault, content }: { state: Dataset["state"]; fault: string; content: string }) {
  if (state === "preparing") return <span>正在准备文件夹…</span>;
  if (state === "failed")
    return (
      <span className={styles.failed} title={fault}>
        没有创建成功
      </span>
    );
  return <span>{content}</span>;
}
