// The path of a dataset, and all its data.
import type { ReactNode } from "react";
import { visibilityLooks } from "@/shared/images/visibility";
import { safeLink } from "@/shared/lib/safe-link";
import { CopyText } from "@/shared/ui/CopyText";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import type { DatasetDetail } from "./api";
import styles from "./DatasetInfo.module.css";
import { LabelTags } from "./LabelTag";
import { contentText } from "./text";
import { typeLabels } from "./words";

export function DatasetFacts({ dataset }: { dataset: DatasetDetail }) {
  const { path, type, labels, visibility, owner, counted, licence, source, created, changed } = dataset;
  const { label, note } = visibilityLooks[visibility];
  return (
    <Panel title="使用" padded>
      <div className={styles.path}>
        <code>{path}</code>
        <CopyText text={path} label="复制实例中的路径" />
      </div>
      <p className={styles.note}>创建实例时选择这个数据集，它就以只读方式出现在上面的路径。</p>
      <dl className={styles.facts}>
        <Fact name="类型">{typeLabels[type]}</Fact>
        <Fact name="标签">{labels.length > 0 ? <LabelTags labels={labels} /> : "—"}</Fact>
        <Fact name="内容">{contentText(dataset)}</Fact>
        <Fact name="统计时间">{counted ? <TimeText time={counted} /> : "—"}</Fact>
        <Fact name="可见范围">
          <span title={note}>{label}</span>
        </Fact>
        <Fact name="所有者">{owner.username}</Fact>
        <Fact name="来源">{source ? <Source text={source} /> : "—"}</Fact>
        <Fact name="许可协议">{licence || "—"}</Fact>
        <Fact name="创建时间">
          <TimeText time={created} />
        </Fact>
        <Fact name="更新时间">
          <TimeText time={changed} />
        </Fact>
      </dl>
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Source({ text }: { text: string }) {
  const href = /^https?:/i.test(text) ? safeLink(text) : undefined;
  if (!href) return text;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {text}
    </a>
  );
}
