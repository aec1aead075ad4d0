// Output of an instance's main process; the script is loaded on demand.
import { Button } from "antd";
import { Suspense, useState } from "react";
import type { InstanceView } from "@/shared/compute/api";
import { latePart } from "@/shared/parts/late-part";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Panel } from "@/shared/ui/Panel";
import styles from "./DetailPage.module.css";

const LogView = latePart(async () => (await import("@/shared/logs/LogView")).LogView);

/** Initial number of lines, and the server's maximum. */
const begin = 1_000;
const most = 100_000;

export function Log({ instance: { id, name, started } }: { instance: InstanceView }) {
  const [open, setOpen] = useState(false);
  const address = `/api/instances/${id}/logs`;
  const toggle = (
    <Button type="text" aria-expanded={open} onClick={() => setOpen(!open)}>
      {open ? "收起" : "查看"}
    </Button>
  );
  return (
    <Panel title="日志" extra={toggle}>
      {open && (
        <div className={styles.log}>
          <Suspense fallback={<TableSkeleton rows={8} rowHeight={20} />}>
            <LogView
              // Each start continues the same log, after the last follower has received its end.
              key={started ?? "never"}
              label="日志"
              address={`${address}?lines=${begin}&follow=true`}
              whole={`${address}?lines=${most}`}
              fileName={`${name}.log`}
            />
          </Suspense>
        </div>
      )}
    </Panel>
  );
}
