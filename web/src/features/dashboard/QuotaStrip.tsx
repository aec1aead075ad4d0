// The user's quotas: used of limit, and the rest. 0 is "no limit" for CPU, memory and disk, and none for cards.

import type { Quotas } from "@/shared/api/dashboard";
import { memoryText } from "@/shared/compute/text";
import { coresOf, formatCount } from "@/shared/lib/numbers";
import styles from "@/shared/ui/Figures.module.css";
import { Panel } from "@/shared/ui/Panel";
import { DiskQuota, type UsageState } from "./DiskQuota";
import { Quota } from "./Quota";

interface QuotaStripProps {
  quotas: Quotas;
  usage: UsageState;
  admin: boolean;
  refreshing: boolean;
}

export function QuotaStrip({ quotas, usage, admin, refreshing }: QuotaStripProps) {
  const { instances, gpus, cpu, memory, disk } = quotas;
  const coresUsed = coresOf(cpu.used);
  const coresLimit = coresOf(cpu.limit);
  const memoryLeft = memory.limit - memory.used;
  return (
    <Panel label="我的配额" refreshing={refreshing}>
      <div className={`${styles.strip} ${styles.five}`}>
        <Quota
          icon="server"
          label="实例"
          used={instances.used}
          limit={instances.limit}
          value={formatCount(instances.used)}
          of={`${formatCount(instances.limit)} 个`}
          note={
            instances.offset > 0 ? `基础 ${instances.base}，临时 +${instances.offset}` : left(instances, "个")
          }
        />
        <Quota
          icon="gpu"
          label="显卡"
          used={gpus.used}
          limit={gpus.limit}
          value={formatCount(gpus.used)}
          of={`${formatCount(gpus.limit)} 张`}
          note={gpus.limit === 0 ? "只能使用 CPU" : left(gpus, "张")}
        />
        <Quota
          icon="cpu"
          label="CPU"
          used={coresUsed}
          limit={coresLimit}
          value={formatCount(coresUsed)}
          of={coresLimit === 0 ? "不限" : `${formatCount(coresLimit)} 核`}
          note={coresLimit === 0 ? "" : left({ used: coresUsed, limit: coresLimit }, "核")}
        />
        <Quota
          icon="layers"
          label="内存"
          used={memory.used}
          limit={memory.limit}
          value={memoryText(memory.used)}
          of={memory.limit === 0 ? "不限" : memoryText(memory.limit)}
          note={memory.limit === 0 ? "" : memoryLeft <= 0 ? "已用完" : `还可用 ${memoryText(memoryLeft)}`}
        />
        <DiskQuota limit={disk.limit} admin={admin} usage={usage} />
      </div>
    </Panel>
  );
}

function left({ used, limit }: { used: number; limit: number }, unit: string): string {
  return used >= limit ? "已用完" : `还可用 ${formatCount(limit - used)} ${unit}`;
}
