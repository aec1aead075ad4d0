// Where, how many cards, and how much of the machine.
import { Flex, Segmented } from "antd";
import type { Quotas } from "@/shared/api/dashboard";
import type { ServerView } from "@/shared/compute/api";
import { GpuLegend, GpuSquares } from "@/shared/compute/GpuSquares";
import { freeOf } from "@/shared/compute/gpu-look";
import { serverLook, whyClosed } from "@/shared/compute/server-state";
import { coresText, memoryText, modelsText } from "@/shared/compute/text";
import { UnitInput } from "@/shared/form/UnitInput";
import { Icon } from "@/shared/theme/Icon";
import { usePhone } from "@/shared/ui/usePhone";
import { Block, Choice, Fault } from "./Block";
import { CardPicker } from "./CardPicker";
import type { Faults } from "./CreatePage";
import {
  cardCount,
  closedText,
  countChoices,
  type Draft,
  leftOf,
  lostCards,
  lostText,
  sizeOf,
} from "./draft";
import styles from "./WhereBlock.module.css";

interface WhereBlockProps {
  draft: Draft;
  faults: Faults;
  servers: readonly ServerView[];
  server: ServerView | undefined;
  quotas: Quotas;
  onChange: (part: Partial<Draft>) => void;
}

export function WhereBlock({ draft, faults, servers, server, quotas, onChange }: WhereBlockProps) {
  const phone = usePhone();
  return (
    <Block number={1} title="服务器与卡" extra={!phone && <GpuLegend />}>
      <div role="radiogroup" aria-label="服务器">
        {servers.map((one) => (
          <ServerChoice
            key={one.id}
            server={one}
            checked={one.id === draft.server}
            onChoose={() =>
              onChange({ server: one.id, cards: null, count: Math.min(cardCount(draft), freeOf(one).length) })
            }
          />
        ))}
      </div>
      <div className={styles.fault}>
        <Fault>{faults.server}</Fault>
      </div>
      {server && (
        <>
          {server.gpus.length > 0 && (
            <Cards draft={draft} faults={faults} server={server} quotas={quotas} onChange={onChange} />
          )}
          <Size draft={draft} faults={faults} server={server} quotas={quotas} onChange={onChange} />
        </>
      )}
    </Block>
  );
}

interface ServerChoiceProps {
  server: ServerView;
  checked: boolean;
  onChoose: () => void;
}

function ServerChoice({ server, checked, onChoose }: ServerChoiceProps) {
  const closed = whyClosed(server);
  return (
    <label
      className={[styles.server, checked && styles.checked, closed && styles.closed]
        .filter(Boolean)
        .join(" ")}
    >
      <input
        type="radio"
        name="server"
        aria-label={closed ? `${server.name}（${closed}）` : server.name}
        checked={checked}
        disabled={closed !== undefined}
        onChange={onChoose}
      />
      <span className={styles.name}>{server.name}</span>
      <span className={styles.models}>{modelsText(server.gpus)}</span>
      <span className={styles.gpus}>
        <GpuSquares gpus={server.gpus} server={server} inLabel />
      </span>
      <span className={styles.free}>
        {closed ? (
          <>
            <Icon name={serverLook(server).icon} size={14} /> {closed}
          </>
        ) : (
          <>
            <b>{freeOf(server).length}</b> 空闲
          </>
        )}
      </span>
    </label>
  );
}

interface PartProps extends Omit<WhereBlockProps, "servers" | "server"> {
  server: ServerView;
}

function Cards({ draft, faults, server, quotas, onChange }: PartProps) {
  const choices = countChoices(server, quotas);
  const lost = lostCards(draft, server);
  return (
    <>
      <Choice label="卡数" note={closedText(choices)} fault={faults.gpuCount}>
        <Segmented
          aria-label="卡数"
          value={draft.cards ? -1 : draft.count}
          options={choices.map(({ count, reason }) => ({
            value: count,
            label: count === 0 ? "不用卡" : String(count),
            disabled: reason !== undefined,
            ...(reason && { title: reason }),
          }))}
          onChange={(count) => onChange({ count, cards: null })}
        />
      </Choice>
      <Choice
        label="指定卡"
        note={draft.cards ? "按选中的卡创建" : "不指定时由平台挑选空闲卡"}
        fault={faults.gpus ?? (lost.length > 0 ? lostText(lost, server) : undefined)}
      >
        <CardPicker
          server={server}
          chosen={draft.cards ?? []}
          room={Math.max(0, quotas.gpus.limit - quotas.gpus.used)}
          onChange={(cards) => onChange(cards.length > 0 ? { cards } : { cards: null, count: 0 })}
        />
      </Choice>
    </>
  );
}

function Size({ draft, faults, server, quotas, onChange }: PartProps) {
  const { cores, memoryGb } = sizeOf(draft, server, quotas);
  const left = leftOf(quotas.cpu, true);
  const room = leftOf(quotas.memory, true);
  return (
    <>
      <Choice
        label="CPU"
        note={[
          left !== undefined && `配额还可用 ${coresText(left)}`,
          server.cpuAvailable != null && `${server.name} 共 ${coresText(server.cpuAvailable)}`,
        ]
          .filter(Boolean)
          .join(" · ")}
        fault={faults.cpuQuota}
      >
        <Flex gap={8} align="center" className={styles.number}>
          <UnitInput
            aria-label="CPU 核数"
            min={0.1}
            precision={1}
            unit="核"
            value={cores}
            onChange={(value) => onChange({ cores: value })}
          />
        </Flex>
      </Choice>
      <Choice
        label="内存"
        note={[
          room !== undefined && `配额还可用 ${memoryText(room)}`,
          server.memoryAvailable != null && `${server.name} 共 ${memoryText(server.memoryAvailable)}`,
        ]
          .filter(Boolean)
          .join(" · ")}
        fault={faults.memory}
      >
        <Flex gap={8} align="center" className={styles.number}>
          <UnitInput
            aria-label="内存大小"
            min={0.125}
            precision={3}
            unit="GB"
            value={memoryGb}
            onChange={(value) => onChange({ memoryGb: value })}
          />
        </Flex>
      </Choice>
    </>
  );
}
