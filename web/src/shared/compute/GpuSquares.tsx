// Cards as small squares: state by colour and sign, load by the height of the filling.
import { Tooltip } from "antd";
import { type KeyboardEvent, memo, useRef, useState } from "react";
import { Icon } from "@/shared/theme/Icon";
import type { Gpu } from "./api";
import styles from "./GpuSquares.module.css";
import {
  busyText,
  type GpuLook,
  holderText,
  lookLabels,
  lookOf,
  type ServerOfGpus,
  summaryText,
} from "./gpu-look";
import { shortModel } from "./gpu-model";

interface GpuSquareProps {
  look: GpuLook;
  /** Percent; absent when the card does not report it. */
  utilization?: number | null | undefined;
}

/** The square alone, for legends, lists and choices. */
export function GpuSquare({ look, utilization }: GpuSquareProps) {
  const held = look === "mine" || look === "other";
  return (
    <span className={`${styles.square} ${styles[look]}`} aria-hidden="true">
      {held && (
        <span
          className={utilization == null ? `${styles.fill} ${styles.unknown}` : styles.fill}
          style={{ height: `${utilization ?? 100}%` }}
        />
      )}
      {look === "free" && <span className={styles.dot} />}
      {look === "faulty" && <Icon name="close" size={14} />}
      {look === "off" && <Icon name="minus" size={12} />}
    </span>
  );
}

interface GpuSquaresProps {
  gpus: readonly Gpu[];
  server: ServerOfGpus & { name: string };
  /** In the label of a field, which a click on a square is to choose: then they take no keyboard focus. */
  inLabel?: boolean;
}

/** One stop of the Tab key for all of them; the arrow keys lead from card to card. */
export const GpuSquares = memo(function GpuSquares({ gpus, server, inLabel = false }: GpuSquaresProps) {
  const [active, setActive] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  if (gpus.length === 0) return <span className={styles.none}>没有卡，只有 CPU</span>;
  const last = gpus.length - 1;

  function walk(event: KeyboardEvent) {
    const to = targetOf(event.key, Math.min(active, last), last);
    if (to === null) return;
    event.preventDefault();
    list.current?.querySelectorAll("button")[to]?.focus();
  }

  return (
    <ul ref={list} className={styles.squares} aria-label={`${server.name} ${summaryText(gpus, server)}`}>
      {gpus.map((gpu, index) => (
        <li key={gpu.id} aria-label={inLabel ? labelOf(gpu, server) : undefined}>
          <Tooltip trigger={["hover", "focus"]} title={<CardText gpu={gpu} server={server} />}>
            {inLabel ? (
              <span className={styles.card}>
                <GpuSquare look={lookOf(gpu, server)} utilization={gpu.sample?.utilization} />
              </span>
            ) : (
              <button
                type="button"
                className={styles.card}
                aria-label={labelOf(gpu, server)}
                tabIndex={index === Math.min(active, last) ? 0 : -1}
                onFocus={() => setActive(index)}
                onKeyDown={walk}
              >
                <GpuSquare look={lookOf(gpu, server)} utilization={gpu.sample?.utilization} />
              </button>
            )}
          </Tooltip>
        </li>
      ))}
    </ul>
  );
});

/** The card that a key leads to. */
function targetOf(key: string, from: number, last: number): number | null {
  if (key === "ArrowRight" || key === "ArrowDown") return Math.min(from + 1, last);
  if (key === "ArrowLeft" || key === "ArrowUp") return Math.max(from - 1, 0);
  if (key === "Home") return 0;
  return key === "End" ? last : null;
}

/** 卡 3：我的，我 · ins_ann_GPU1a2b3，利用率 99% */
function labelOf(gpu: Gpu, server: ServerOfGpus): string {
  const parts = [lookLabels[lookOf(gpu, server)], holderText(gpu, server), busyText(gpu)].filter(Boolean);
  return `卡 ${gpu.index}：${[...new Set(parts)].join("，")}`;
}

function CardText({ gpu, server }: { gpu: Gpu; server: GpuSquaresProps["server"] }) {
  const use = busyText(gpu);
  return (
    <>
      <div>
        {server.name} · 卡 {gpu.index} · {shortModel(gpu)}
      </div>
      <div>{holderText(gpu, server)}</div>
      {use && <div>{use}</div>}
    </>
  );
}

const looks: readonly GpuLook[] = ["free", "mine", "other", "faulty", "external", "off"];

export function GpuLegend() {
  return (
    <ul className={styles.legend} aria-label="图例">
      {looks.map((look) => (
        <li key={look}>
          <GpuSquare look={look} utilization={60} />
          {lookLabels[look]}
        </li>
      ))}
    </ul>
  );
}
