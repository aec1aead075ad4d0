// 修改实例: name, CPU and memory at any time; cards, ports, datasets and the command while it is stopped, as the container
// is recreated then.
import { useQuery } from "@tanstack/react-query";
import { Alert, App, Form, Input, Select, Switch } from "antd";
import { useState } from "react";
import { type InstanceDetail, serverQuery } from "@/shared/compute/api";
import { holderText, lookOf } from "@/shared/compute/gpu-look";
import { shortModel } from "@/shared/compute/gpu-model";
import { titleOf } from "@/shared/compute/instance-name";
import { isStopped } from "@/shared/compute/instance-state";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { UnitInput } from "@/shared/form/UnitInput";
import { CPU_PERIOD, GB } from "@/shared/quotas/quotas";
import { type InstanceChange, type PortForm, useChangeInstance } from "../api";
import { commandWords } from "../command-words";
import { PortRows } from "../PortRows";

interface ChangeDrawerProps {
  open: boolean;
  instance: InstanceDetail;
  onClose: () => void;
}

interface ChangeForm {
  note: string;
  autoStart: boolean;
  cores: number;
  memoryGb: number;
  gpus: string[];
  datasets: string[];
  ports: (PortForm & { key: number })[];
  /** One word per line. */
  command: string;
}

/** Where datasets lie on the disk. */
const datasetRoot = "datasets/";

function formOf(instance: InstanceDetail): ChangeForm {
  const { note, autoStart, cpuQuota, memory, gpus, mounts, ports, command } = instance;
  return {
    note,
    autoStart,
    cores: cpuQuota / CPU_PERIOD,
    memoryGb: memory / GB,
    gpus: gpus.map(({ id }) => id),
    datasets: mounts.flatMap(({ source }) =>
      source.startsWith(datasetRoot) ? source.slice(datasetRoot.length) : [],
    ),
    ports: ports.map(({ containerPort, name, protocol }, key) => ({ key, containerPort, name, protocol })),
    command: command.join("\n"),
  };
}

const bare = (ports: ChangeForm["ports"]): PortForm[] =>
  ports.map(({ containerPort, name, protocol }) => ({ containerPort, name, protocol }));

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Only the differences: missing fields stay unchanged. */
export function changeOf(before: ChangeForm, after: ChangeForm): InstanceChange {
  return {
    ...(after.note !== before.note && { note: after.note }),
    ...(after.autoStart !== before.autoStart && { autoStart: after.autoStart }),
    ...(after.cores !== before.cores && { cpuQuota: Math.round(after.cores * CPU_PERIOD) }),
    ...(after.memoryGb !== before.memoryGb && { memory: Math.round(after.memoryGb * GB) }),
    ...(!same(after.gpus, before.gpus) && { gpus: after.gpus }),
    ...(!same(after.datasets, before.datasets) && { datasets: after.datasets }),
    ...(!same(bare(after.ports), bare(before.ports)) && { ports: bare(after.ports) }),
    ...(after.command !== before.command && { command: commandWords(after.command) }),
  };
}

const apiNames: Readonly<Record<string, string>> = {
  cpuQuota: "cores",
  memory: "memoryGb",
  gpuCount: "gpus",
};
const formName = (name: string) => apiNames[name] ?? name;

export function ChangeDrawer({ open, instance, onClose }: ChangeDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<ChangeForm>();
  const [initial] = useState(() => formOf(instance));
  const change = useChangeInstance();
  const server = useQuery({
    ...serverQuery(instance.server?.id ?? ""),
    enabled: open && Boolean(instance.server),
  });
  const stopped = isStopped(instance);

  function save(values: ChangeForm) {
    const part = changeOf(initial, { ...initial, ...values });
    if (Object.keys(part).length === 0) {
      onClose();
      return;
    }
    change.mutate(
      { id: instance.id, change: part },
      {
        onSuccess: () => {
          message.success(
            part.gpus || part.ports || part.datasets || part.command ? "已保存，下次启动时生效" : "已保存",
            1.5,
          );
          onClose();
        },
      },
    );
  }

  const known = server.data?.gpus ?? instance.gpus;
  return (
    <FormDrawer<ChangeForm>
      title={`修改 ${titleOf(instance)}`}
      open={open}
      form={form}
      initialValues={initial}
      submitText="保存"
      error={change.error}
      submitting={change.isPending}
      formName={formName}
      onSubmit={save}
      onClose={onClose}
    >
      <Form.Item name="note" label="名称" extra={`不填时显示编号 ${instance.name}`}>
        <Input maxLength={100} placeholder="例如：第 12 次训练" />
      </Form.Item>
      <Form.Item
        name="autoStart"
        label="服务器重启后自动启动"
        valuePropName="checked"
        extra="只重新运行启动命令，终端里运行的程序不会恢复；需要长期运行的程序请写进启动命令"
      >
        <Switch />
      </Form.Item>
      <Form.Item
        name="cores"
        label="CPU"
        rules={[{ required: true, message: "请填写" }]}
        extra="立即生效，不用重启"
      >
        <UnitInput min={0.1} precision={1} unit="核" />
      </Form.Item>
      <Form.Item
        name="memoryGb"
        label="内存"
        rules={[{ required: true, message: "请填写" }]}
        extra="立即生效，不用重启"
      >
        <UnitInput min={0.125} precision={3} unit="GB" />
      </Form.Item>
      {!stopped && (
        <Alert
          type="info"
          showIcon
          title="更换显卡、数据集、端口和启动命令前请先停止实例；重新启动后容器里的文件都在。"
          style={{ marginBottom: 16 }}
        />
      )}
      <Form.Item name="gpus" label="显卡">
        <Select<string[]>
          mode="multiple"
          disabled={!stopped}
          loading={server.isLoading}
          placeholder="不用卡"
          optionFilterProp="label"
          options={known.map((gpu) => {
            const had = initial.gpus.includes(gpu.id);
            const free = server.data ? lookOf(gpu, server.data) === "free" : had;
            const state = free || !server.data ? "" : `（${holderText(gpu, server.data)}）`;
            return {
              value: gpu.id,
              label: `卡 ${gpu.index} ${shortModel(gpu)}${state}`,
              disabled: !free && !had,
            };
          })}
        />
      </Form.Item>
      {initial.datasets.length > 0 && (
        <Form.Item name="datasets" label="数据集" extra="可以去掉不再需要或没有权限使用的数据集">
          <Select<string[]>
            mode="multiple"
            disabled={!stopped}
            placeholder="不用数据集"
            options={initial.datasets.map((folder) => ({ value: folder, label: folder }))}
          />
        </Form.Item>
      )}
      <Form.Item name="ports" label="端口" valuePropName="ports">
        <Ports disabled={!stopped} />
      </Form.Item>
      <Form.Item name="command" label="启动命令" extra="每行一个参数，留空使用镜像自带的命令">
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 8 }} disabled={!stopped} spellCheck={false} />
      </Form.Item>
    </FormDrawer>
  );
}

interface PortsProps {
  /** Given by the form. */
  ports?: ChangeForm["ports"];
  onChange?: (ports: ChangeForm["ports"]) => void;
  disabled: boolean;
}

function Ports({ ports = [], onChange, disabled }: PortsProps) {
  return <PortRows ports={ports} disabled={disabled} onChange={(next) => onChange?.(next)} />;
}
