// Actions on a faulty card: a test run that lifts the fault, its history, and a work order about it.
import { App, Button, Flex } from "antd";
import { useState } from "react";
import type { Gpu, ServerView } from "@/shared/compute/api";
import { faultOrderLink } from "@/shared/compute/card-fault";
import { LinkButton } from "@/shared/frame/LinkButton";
import { useTestGpu } from "./api";
import { CardHistoryDrawer } from "./CardHistoryDrawer";

/** Reports the result of a card's test run; a card that passes stays excluded if administrators excluded it. */
export function useTestRun(name: string, { excluded }: Pick<Gpu, "excluded">) {
  const { message, modal } = App.useApp();
  const test = useTestGpu();
  const done = excluded ? "故障已解除，仍在停用" : "已恢复使用";
  const run = (id: string) =>
    test.mutate(id, {
      onSuccess: ({ passed, words }) =>
        passed
          ? message.success(`${name} 试运行通过，${done}：${words}`, 1.5)
          : modal.warning({ title: `${name} 试运行没有通过`, content: words, okText: "知道了" }),
      onError: (error) => message.error(error.message, 2),
    });
  return { run, running: test.isPending };
}

export function CardFaultActions({ gpu, server }: { gpu: Gpu; server: ServerView }) {
  const name = `卡 ${gpu.index}`;
  const { run, running } = useTestRun(name, gpu);
  const [open, setOpen] = useState(false);
  const admin = server.manage != null;
  if (!admin && !gpu.lease?.mine) return null;
  return (
    <Flex gap={4} wrap>
      {admin && (
        <Button size="small" loading={running} aria-label={`试运行${name}`} onClick={() => run(gpu.id)}>
          试运行
        </Button>
      )}
      {admin && (
        <Button size="small" aria-label={`${name} 的故障记录`} onClick={() => setOpen(true)}>
          故障记录
        </Button>
      )}
      <LinkButton
        size="small"
        to={faultOrderLink([gpu], { server: server.name })}
        aria-label={`为${name} 提工单`}
      >
        提工单
      </LinkButton>
      {admin && (
        <CardHistoryDrawer
          open={open}
          id={gpu.id}
          name={`${server.name} ${name}`}
          onClose={() => setOpen(false)}
        />
      )}
    </Flex>
  );
}
