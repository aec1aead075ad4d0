// The ports of a container to be published, one per row.
import { Button, Flex, Input, InputNumber, Select } from "antd";
import { Icon } from "@/shared/theme/Icon";
import type { PortForm } from "./api";
import styles from "./PortRows.module.css";

type PortRow = PortForm & { key: number };

interface PortRowsProps {
  ports: readonly PortRow[];
  disabled?: boolean;
  onChange: (ports: PortRow[]) => void;
}

const common: readonly { port: number; name: string }[] = [
  { port: 8888, name: "Jupyter" },
  { port: 6006, name: "TensorBoard" },
  { port: 8000, name: "" },
];

const MAX_PORTS = 20;

export const nextKey = (rows: readonly { key: number }[]) => Math.max(0, ...rows.map(({ key }) => key)) + 1;

export function PortRows({ ports, disabled = false, onChange }: PortRowsProps) {
  const set = (key: number, part: Partial<PortForm>) =>
    onChange(ports.map((row) => (row.key === key ? { ...row, ...part } : row)));
  const proposal = common.find(({ port }) => !ports.some(({ containerPort }) => containerPort === port));
  return (
    <Flex vertical gap={8} align="flex-start">
      {ports.map(({ key, containerPort, name = "", protocol = "tcp" }) => (
        <Flex key={key} gap={8} className={styles.row}>
          <InputNumber<number>
            aria-label="容器端口"
            min={1}
            max={65535}
            precision={0}
            controls={false}
            value={containerPort}
            disabled={disabled}
            className={styles.port ?? ""}
            onChange={(value) => set(key, { containerPort: value ?? 0 })}
          />
          <Select<"tcp" | "udp">
            aria-label={`端口 ${containerPort} 的协议`}
            value={protocol}
            disabled={disabled}
            options={[
              { value: "tcp", label: "TCP" },
              { value: "udp", label: "UDP" },
            ]}
            className={styles.protocol ?? ""}
            onChange={(value) => set(key, { protocol: value })}
          />
          <Input
            aria-label={`端口 ${containerPort} 的名称`}
            placeholder="名称，可不填"
            maxLength={30}
            value={name}
            disabled={disabled}
            onChange={(event) => set(key, { name: event.target.value })}
          />
          <Button
            type="text"
            disabled={disabled}
            aria-label={`移除端口 ${containerPort}`}
            icon={<Icon name="close" size={14} />}
            onClick={() => onChange(ports.filter((row) => row.key !== key))}
          />
        </Flex>
      ))}
      <Button
        icon={<Icon name="plus" size={14} />}
        disabled={disabled || ports.length >= MAX_PORTS}
        onClick={() =>
          onChange([
            ...ports,
            {
              key: nextKey(ports),
              containerPort: proposal?.port ?? 0,
              name: proposal?.name ?? "",
              protocol: "tcp",
            },
          ])
        }
      >
        添加端口
      </Button>
    </Flex>
  );
}
