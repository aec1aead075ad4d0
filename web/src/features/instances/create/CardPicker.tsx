// Selects particular cards: squares to press, each with its number and, if it is disabled, the reason.
import { Tooltip } from "antd";
import type { ServerView } from "@/shared/compute/api";
import { GpuSquare } from "@/shared/compute/GpuSquares";
import { busyText, holderText, lookOf } from "@/shared/compute/gpu-look";
import { shortModel } from "@/shared/compute/gpu-model";
import { Icon } from "@/shared/theme/Icon";
import styles from "./CardPicker.module.css";

interface CardPickerProps {
  server: ServerView;
  chosen: readonly string[];
  /** How many the quota leaves. */
  room: number;
  onChange: (cards: string[]) => void;
}

export function CardPicker({ server, chosen, room, onChange }: CardPickerProps) {
  const full = chosen.length >= room;
  return (
    <ul className={styles.cards} aria-label="指定卡">
      {server.gpus.map((gpu) => {
        const look = lookOf(gpu, server);
        const pressed = chosen.includes(gpu.id);
        const reason =
          look === "free" || pressed
            ? full && !pressed
              ? `配额还可用 ${room} 张`
              : undefined
            : holderText(gpu, server);
        const toggle = () => onChange(pressed ? chosen.filter((id) => id !== gpu.id) : [...chosen, gpu.id]);
        return (
          <li key={gpu.id}>
            <Tooltip title={[shortModel(gpu), reason, busyText(gpu)].filter(Boolean).join(" · ")}>
              <button
                type="button"
                className={pressed ? `${styles.card} ${styles.pressed}` : styles.card}
                aria-pressed={pressed}
                aria-disabled={reason !== undefined}
                aria-label={reason ? `卡 ${gpu.index}（${reason}）` : `卡 ${gpu.index}`}
                onClick={() => reason === undefined && toggle()}
              >
                {pressed ? (
                  <span className={styles.tick}>
                    <Icon name="check" />
                  </span>
                ) : (
                  <GpuSquare look={look} utilization={gpu.sample?.utilization} />
                )}
                <span aria-hidden="true">{gpu.index}</span>
              </button>
            </Tooltip>
          </li>
        );
      })}
    </ul>
  );
}
