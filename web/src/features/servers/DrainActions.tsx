// 排空 and 结束排空 on a server's page, for administrators.
import { App, Button } from "antd";
import { Suspense, useState } from "react";
import type { ServerView } from "@/shared/compute/api";
import { latePart } from "@/shared/parts/late-part";
import { useLiftDrain } from "./api";

// The calendar in it is large, and rarely needed.
const DrainDialog = latePart(async () => (await import("./DrainDialog")).DrainDialog, "aside");

export function DrainActions({ server }: { server: ServerView }) {
  const { message } = App.useApp();
  const lift = useLiftDrain();
  const [open, setOpen] = useState(false);
  // Stays once opened, so that it can fade out.
  const [wanted, setWanted] = useState(false);

  function ask() {
    setWanted(true);
    setOpen(true);
  }

  function end() {
    lift.mutate(server.id, {
      onSuccess: () => message.success(`${server.name} 已结束排空`, 1.5),
      onError: (error) => message.error(error.message, 2),
    });
  }

  return (
    <>
      <Button onClick={ask}>{server.drain ? "修改排空" : "排空"}</Button>
      {server.drain && (
        <Button loading={lift.isPending} onClick={end}>
          结束排空
        </Button>
      )}
      {wanted && (
        <Suspense>
          <DrainDialog open={open} server={server} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
