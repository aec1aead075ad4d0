// Everything that has a good default: when it stops, datasets, ports, environment, shared memory, command, note.
import { Button, Flex, Input, Segmented } from "antd";
import { UnitInput } from "@/shared/form/UnitInput";
import { Icon } from "@/shared/theme/Icon";
import { nextKey, PortRows } from "../PortRows";
import { Block, Choice } from "./Block";
import type { Faults } from "./CreatePage";
import { DatasetChoice } from "./DatasetChoice";
import { type Draft, stopChoices } from "./draft";
import styles from "./OptionsBlock.module.css";

interface OptionsBlockProps {
  draft: Draft;
  faults: Faults;
  onChange: (part: Partial<Draft>) => void;
}

const NEVER = "never";

const autoStarts = [
  { value: "default", label: "默认", is: null },
  { value: "on", label: "自动启动", is: true },
  { value: "off", label: "保持停止", is: false },
] as const;

export function OptionsBlock({ draft, faults, onChange }: OptionsBlockProps) {
  const { env } = draft;
  const setEnv = (key: number, part: Partial<{ name: string; value: string }>) =>
    onChange({ env: env.map((row) => (row.key === key ? { ...row, ...part } : row)) });
  return (
    <Block number={3} title="选项" extra={<span className={styles.hint}>以下均为可选项</span>}>
      <Choice
        label="自动停止"
        note="停止后卡归还，容器与文件保留；之前会提醒，可以续期"
        fault={faults.stopAt}
      >
        <div className={styles.scroll}>
          <Segmented
            aria-label="自动停止"
            value={draft.stopAfter ?? NEVER}
            options={stopChoices.map(({ value, label }) => ({ value: value ?? NEVER, label }))}
            onChange={(value) => onChange({ stopAfter: typeof value === "number" ? value : null })}
          />
        </div>
      </Choice>
      <Choice
        label="服务器重启后"
        note="自动启动时只重新运行启动命令，终端里运行的程序不会恢复；默认由管理员设置"
      >
        <Segmented
          aria-label="服务器重启后"
          value={autoStarts.find(({ is }) => is === draft.autoStart)?.value ?? "default"}
          options={autoStarts.map(({ value, label }) => ({ value, label }))}
          onChange={(chosen) =>
            onChange({ autoStart: autoStarts.find(({ value }) => value === chosen)?.is ?? null })
          }
        />
      </Choice>
      <DatasetChoice
        chosen={draft.datasets}
        fault={faults.datasets}
        onChange={(datasets) => onChange({ datasets })}
      />
      <Choice label="端口" note="容器里的端口，平台会给每个分配一个服务器端口" fault={faults.ports}>
        <PortRows ports={draft.ports} onChange={(ports) => onChange({ ports })} />
      </Choice>
      <Choice label="共享内存" note="/dev/shm，留空为内存的一半且至少 4 GB" fault={faults.shmSize}>
        <div className={styles.number}>
          <UnitInput
            aria-label="共享内存大小"
            min={0.0625}
            precision={3}
            unit="GB"
            value={draft.shmGb}
            onChange={(value) => onChange({ shmGb: value })}
          />
        </div>
      </Choice>
      <Choice label="环境变量" fault={faults.env}>
        <Flex vertical gap={8} align="flex-start">
          {env.map(({ key, name, value }) => (
            <Flex key={key} gap={8} className={styles.row}>
              <Input
                aria-label="变量名"
                placeholder="名称"
                value={name}
                onChange={(event) => setEnv(key, { name: event.target.value })}
              />
              <Input
                aria-label={name ? `${name} 的值` : "变量的值"}
                placeholder="值"
                value={value}
                onChange={(event) => setEnv(key, { value: event.target.value })}
              />
              <Button
                type="text"
                aria-label={`移除变量 ${name}`}
                icon={<Icon name="close" size={14} />}
                onClick={() => onChange({ env: env.filter((row) => row.key !== key) })}
              />
            </Flex>
          ))}
          <Button
            icon={<Icon name="plus" size={14} />}
            onClick={() => onChange({ env: [...env, { key: nextKey(env), name: "", value: "" }] })}
          >
            添加变量
          </Button>
        </Flex>
      </Choice>
      <Choice label="启动命令" note="每行一个参数，留空使用镜像自带的命令" fault={faults.command}>
        <Input.TextArea
          aria-label="启动命令"
          value={draft.command}
          autoSize={{ minRows: 1, maxRows: 6 }}
          spellCheck={false}
          onChange={(event) => onChange({ command: event.target.value })}
        />
      </Choice>
      <Choice label="备注" fault={faults.note}>
        <Input
          aria-label="备注"
          value={draft.note}
          maxLength={100}
          placeholder="例如：第 12 次训练"
          onChange={(event) => onChange({ note: event.target.value })}
        />
      </Choice>
    </Block>
  );
}
