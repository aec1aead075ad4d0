// The clock above the list: one line while it is trusted, the reason and the advice while it is not.
import type { UseQueryResult } from "@tanstack/react-query";
import { Flex, Skeleton } from "antd";
import type { ClockState, ClockWitness } from "@/shared/clock/api";
import { aheadText } from "@/shared/clock/words";
import { minuteTime } from "@/shared/lib/time";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { StateText } from "@/shared/ui/StateText";
import { ClockDoubt } from "./ClockDoubt";
import styles from "./Duties.module.css";
import { witnessName } from "./WitnessTable";

export function ClockCard({ clock }: { clock: UseQueryResult<ClockState> }) {
  const { data, error, refetch } = clock;
  const retry = () => void refetch();
  return (
    <Panel label="系统时间">
      {data ? (
        <>
          {error && <RefreshFailed error={error} onRetry={retry} />}
          {data.trusted ? <Calm clock={data} /> : <ClockDoubt clock={data} />}
        </>
      ) : error ? (
        <ErrorPanel title="系统时间没有取到" error={error} onRetry={retry} />
      ) : (
        <div className={styles.calm}>
          <Skeleton active title={false} paragraph={{ rows: 1 }} />
        </div>
      )}
    </Panel>
  );
}

function Calm({ clock: { now, witnesses } }: { clock: ClockState }) {
  const farthest = witnesses.toSorted((a, b) => Math.abs(b.aheadMs) - Math.abs(a.aheadMs))[0];
  return (
    <Flex className={styles.calm ?? ""} gap="4px 12px" wrap align="center">
      <StateText icon="success" tone="success">
        系统时间正常
      </StateText>
      <time dateTime={now}>{minuteTime(now)}</time>
      {farthest && <small>{`已与其他 ${witnesses.length} 个时钟核对，${differenceText(farthest)}`}</small>}
    </Flex>
  );
}

function differenceText(farthest: ClockWitness): string {
  const ahead = aheadText(farthest.aheadMs);
  if (ahead === "一致") return ahead;
  return `最多比${witnessName(farthest)}${farthest.name && " "}${ahead}`;
}
