// Cards as small squares: state by colour and sign, load by the height of the filling.
import { Tooltip } from "antd";
import { memo } from "react";
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
}

export const GpuSquares = memo(function GpuSquares({ gpus, server }: GpuSquaresProps) {
  if (gpus.length === 0) return <span className={styles.none}>没有卡，只有 CPU</span>;
  return (
    <ul className={styles.squares} aria-label={`${server.name} ${summaryText(gpus, server)}`}>
      {gpus.map((gpu) => {
        const look = lookOf(gpu, server);
        const use = busyText(gpu);
        const name = `卡 ${gpu.index}`;
        return (
          <Tooltip
            key={gpu.id}
            title={
              <>
                <div>
                  {server.name} · {name} · {shortModel(gpu)}
                </div>
                <div>{holderText(gpu, server)}</div>
                {use && <div>{use}</div>}
              </>
            }
          >
            <li
              aria-label={`${name}：${[...new Set([lookLabels[look], holderText(gpu, server), use])].filter(Boolean).join("，")}`}
            >
              <GpuSquare look={look} utilization={gpu.sample?.utilization} />
            </li>
          </Tooltip>
        );
      })}
    </ul>
  );
});

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
