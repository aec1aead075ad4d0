// The new instance, the rest of the quotas afterwards, and the button. On a phone a bar at the bottom.
import { Button } from "antd";
import type { Quotas } from "@/shared/api/dashboard";
import type { ServerView } from "@/shared/compute/api";
import { shortModel } from "@/shared/compute/gpu-model";
import { modelsText, whenText } from "@/shared/compute/text";
import { coresOf, formatCount } from "@/shared/lib/numbers";
import { CPU_PERIOD, GB } from "@/shared/quotas/quotas";
import { Panel } from "@/shared/ui/Panel";
import { usePhone } from "@/shared/ui/usePhone";
import { Fault } from "./Block";
import type { Faults } from "./CreatePage";
import { cardCount, type Draft, sizeOf } from "./draft";
import styles from "./Summary.module.css";

interface SummaryProps {
  draft: Draft;
  faults: Faults;
  server: ServerView | undefined;
  quotas: Quotas;
  /** Why it can't be created now. */
  reason: string | undefined;
  submitting: boolean;
  onSubmit: () => void;
}

/** Faults that are shown at their own fields. */
const placed = [
  "server",
  "gpus",
  "gpuCount",
  "cpuQuota",
  "memory",
  "image",
  "stopAt",
  "ports",
  "shmSize",
  "env",
];

export function Summary(props: SummaryProps) {
  const phone = usePhone();
  const { draft, faults, server, quotas, reason, submitting, onSubmit } = props;
  const elsewhere = Object.entries(faults)
    .filter(([name]) => ![...placed, "command", "note"].includes(name))
    .map(([, message]) => message);
  const above = Object.keys(faults).length > elsewhere.length ? ["上面有选择需要修改"] : [];
  const button = (
    <>
      <Button
        type="primary"
        size="large"
        block={!phone}
        loading={submitting}
        disabled={reason !== undefined}
        onClick={onSubmit}
      >
        创建
      </Button>
      {!phone && reason && <p className={styles.reason}>{reason}</p>}
    </>
  );
  // The reason stands beside the button already.
  const told = [...elsewhere, ...above].filter((words) => words !== reason);
  const fault = <Fault>{(reason === undefined ? told : []).join("；") || undefined}</Fault>;
  if (phone) {
    return (
      <section className={styles.bar} aria-label="将创建">
        <div className={styles.barWords}>
          <b>{server ? shortText(draft, server, quotas) : "请选择服务器"}</b>
          <small>{reason ?? quotaLine(draft, server, quotas)}</small>
          {fault}
        </div>
        {button}
      </section>
    );
  }
  return (
    <div className={styles.aside}>
      <Panel title="将创建">
        {server && <Facts {...props} server={server} />}
        <After {...props} />
        <div className={styles.foot}>
          {button}
          {fault}
        </div>
      </Panel>
    </div>
  );
}

function cardsText({ draft, server }: { draft: Draft; server: ServerView }): string {
  const count = cardCount(draft);
  if (count === 0) return "不用卡";
  const chosen = draft.cards && server.gpus.filter(({ id }) => draft.cards?.includes(id));
  if (chosen) return `${modelsText(chosen)}（卡 ${chosen.map(({ index }) => index).join("、")}）`;
  const models = new Set(server.gpus.map(shortModel));
  return `${[...models].join("或")} ×${count}`;
}

function shortText(draft: Draft, server: ServerView, quotas: Quotas): string {
  const { cores, memoryGb } = sizeOf(draft, server, quotas);
  return `${cardsText({ draft, server })} · ${formatCount(cores)} 核 · ${formatCount(memoryGb)} GB`;
}

function quotaLine(draft: Draft, server: ServerView | undefined, quotas: Quotas): string {
  const { instances, gpus, memory } = quotas;
  const memoryThen = memory.used / GB + (server ? sizeOf(draft, server, quotas).memoryGb : 0);
  return [
    `GPU 配额 ${gpus.used + cardCount(draft)} / ${gpus.limit}`,
    ...(memory.limit > 0 ? [`内存 ${formatCount(memoryThen)} / ${formatCount(memory.limit / GB)} GB`] : []),
    `实例 ${instances.used + 1} / ${instances.limit}`,
  ].join(" · ");
}

function Facts({ draft, server, quotas }: SummaryProps & { server: ServerView }) {
  const { cores, memoryGb } = sizeOf(draft, server, quotas);
  const stop =
    draft.stopAfter === null
      ? "不自动停止"
      : `${whenText(Date.now() + draft.stopAfter * 3_600_000)}（${draft.stopAfter} 小时后）`;
  const facts = [
    ["服务器", server.name],
    ["GPU 卡", cardsText({ draft, server })],
    ["CPU", `${formatCount(cores)} 核`],
    ["内存", `${formatCount(memoryGb)} GB`],
    ["镜像", draft.image || "还没有选择"],
    ["停止", stop],
  ] as const;
  return (
    <dl className={styles.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function After({ draft, server, quotas }: SummaryProps) {
  const { cores, memoryGb } = server ? sizeOf(draft, server, quotas) : { cores: 0, memoryGb: 0 };
  return (
    <section className={styles.after} aria-label="创建后的配额">
      <h3>创建后的配额</h3>
      <Use label="实例" {...quotas.instances} more={1} text={formatCount} unit="个" />
      <Use label="GPU 卡" {...quotas.gpus} more={cardCount(draft)} text={formatCount} unit="张" />
      <Use
        label="CPU"
        {...quotas.cpu}
        more={cores * CPU_PERIOD}
        text={(quota) => formatCount(coresOf(quota))}
        unit="核"
        unlimited={quotas.cpu.limit === 0}
      />
      <Use
        label="内存"
        {...quotas.memory}
        more={memoryGb * GB}
        text={(bytes) => formatCount(bytes / GB)}
        unit="GB"
        unlimited={quotas.memory.limit === 0}
      />
    </section>
  );
}

interface UseProps {
  label: string;
  used: number;
  limit: number;
  more: number;
  text: (value: number) => string;
  unit: string;
  unlimited?: boolean;
}

function Use({ label, used, limit, more, text, unit, unlimited = false }: UseProps) {
  const percent = (part: number) => `${limit > 0 ? Math.min(100, (part / limit) * 100) : 0}%`;
  const over = !unlimited && used + more > limit;
  return (
    <div>
      <div className={styles.use}>
        <span>{label}</span>
        <span className={over ? styles.over : undefined}>
          {text(used)} → <b>{text(used + more)}</b> / {unlimited ? "不限" : `${text(limit)} ${unit}`}
        </span>
      </div>
      {!unlimited && (
        <div className={styles.track} aria-hidden="true">
          <i style={{ width: percent(used + more) }} className={styles.then} />
          <i style={{ width: percent(used) }} className={styles.now} />
        </div>
      )}
    </div>
  );
}
