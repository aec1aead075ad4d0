// The cards of a server: found ones are excluded, marked as faulty or tested; others are declared by device nodes.
import { App, Drawer } from "antd";
import { useState } from "react";
import type { Gpu, ServerView } from "@/shared/compute/api";
import { GpuSquare } from "@/shared/compute/GpuSquares";
import { excludedText, holderText, lookOf } from "@/shared/compute/gpu-look";
import { shortModel } from "@/shared/compute/gpu-model";
import { memoryText } from "@/shared/compute/text";
import { drawerClose } from "@/shared/form/drawer-close";
import { inFull } from "@/shared/lib/person-name";
import { RowActions } from "@/shared/table/RowActions";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { usePhone } from "@/shared/ui/usePhone";
import { type GpuChange, useChangeGpu, useRemoveGpu } from "./api";
import { useTestRun } from "./CardFaultActions";
import { CardHistoryDrawer } from "./CardHistoryDrawer";
import { DeclareGpus } from "./DeclareGpus";
import { FaultDialog } from "./FaultDialog";
import styles from "./GpusDrawer.module.css";

interface GpusDrawerProps {
  open: boolean;
  server: ServerView | undefined;
  onClose: () => void;
}

export function GpusDrawer({ open, server, onClose }: GpusDrawerProps) {
  const phone = usePhone();
  return (
    <Drawer
      title={server ? `${server.name} 的显卡` : "显卡"}
      open={open && server !== undefined}
      onClose={onClose}
      closable={drawerClose}
      size={phone ? "100%" : 560}
      destroyOnHidden
      styles={{ body: { padding: 0 } }}
    >
      {server && (
        <>
          {server.gpus.length === 0 ? (
            <EmptyPanel
              icon="gpu"
              text="还没有显卡"
              note="NVIDIA 显卡由平台自动发现；昇腾、AMD 等加速卡在下面按设备节点登记"
            />
          ) : (
            <ul className={styles.gpus} aria-label="显卡">
              {server.gpus.map((gpu) => (
                <GpuItem key={gpu.id} gpu={gpu} server={server} />
              ))}
            </ul>
          )}
          <DeclareGpus server={server.id} />
        </>
      )}
    </Drawer>
  );
}

function GpuItem({ gpu, server }: { gpu: Gpu; server: ServerView }) {
  const { message } = App.useApp();
  const [asking, setAsking] = useState<"fault" | "remove" | "history" | null>(null);
  const change = useChangeGpu();
  const remove = useRemoveGpu();
  const name = `卡 ${gpu.index}`;
  const test = useTestRun(name, gpu);
  const failed = (error: { message: string }) => message.error(error.message, 2);
  const close = () => setAsking(null);
  const set = (part: GpuChange, done: string) =>
    change.mutate(
      { id: gpu.id, change: part },
      {
        onSuccess: () => {
          message.success(done, 1.5);
          close();
        },
        // The entered description stays for another try.
        onError: failed,
      },
    );
  const { lease, kind, state, fault, deviceNodes, excluded } = gpu;
  const holder = holderText(gpu, server);
  // An unreachable server is reported first; administrators' decisions are shown in any case.
  const saysFault = holder.startsWith(`故障：${fault}`);
  return (
    <li>
      <GpuSquare look={lookOf(gpu, server)} utilization={gpu.sample?.utilization} />
      <div className={styles.words}>
        <div>
          {name} · <span title={gpu.model}>{shortModel({ model: gpu.model })}</span>
          {gpu.memoryTotal > 0 && ` · ${memoryText(gpu.memoryTotal)}`}
        </div>
        <small>{holder}</small>
        {fault && !saysFault && <small>故障：{fault}</small>}
        {excluded && holder !== excludedText && <small>{excludedText}</small>}
        <small>{kind === "device" ? deviceNodes?.join("、") : gpu.uuid}</small>
      </div>
      <RowActions
        name={name}
        first={
          fault
            ? [
                {
                  key: "test",
                  label: "试运行",
                  onClick: () => test.run(gpu.id),
                  disabledReason: test.running ? "正在试运行" : undefined,
                },
              ]
            : []
        }
        more={[
          excluded
            ? {
                key: "use",
                label: "恢复使用",
                onClick: () =>
                  set({ excluded: false }, fault ? `${name} 不再停用，故障还在` : `${name} 已恢复使用`),
              }
            : { key: "exclude", label: "停用", onClick: () => set({ excluded: true }, `${name} 已停用`) },
          fault
            ? {
                key: "mended",
                label: "不试运行，直接恢复",
                onClick: () =>
                  set({ fault: "" }, excluded ? `${name} 的故障已解除，仍在停用` : `${name} 已恢复`),
              }
            : { key: "fault", label: "标记故障", onClick: () => setAsking("fault") },
          { key: "history", label: "故障记录", onClick: () => setAsking("history") },
          {
            key: "remove",
            label: "移除",
            danger: true,
            onClick: () => setAsking("remove"),
            disabledReason: lease
              ? `${inFull(lease)} 正在使用`
              : kind === "nvidia" && state !== "missing"
                ? "还在机器上的 NVIDIA 卡会再被发现，可以停用"
                : undefined,
          },
        ]}
      />
      <FaultDialog
        open={asking === "fault"}
        name={`${server.name} ${name}`}
        submitting={change.isPending}
        onMark={(words) => set({ fault: words }, `${name} 已标记为故障`)}
        onClose={close}
      />
      <CardHistoryDrawer
        open={asking === "history"}
        id={gpu.id}
        name={`${server.name} ${name}`}
        onClose={close}
      />
      <ConfirmDanger
        open={asking === "remove"}
        title={`移除 ${server.name} 的${name}？`}
        verb="移除"
        submitting={remove.isPending}
        onConfirm={() =>
          remove.mutate(gpu.id, {
            onSuccess: () => message.success(`已移除${name}`, 1.5),
            onError: failed,
            onSettled: close,
          })
        }
        onClose={close}
      >
        它不再能分给实例，用量记录一并删除。机器上的设备不受影响，之后可以重新登记。
      </ConfirmDanger>
    </li>
  );
}
