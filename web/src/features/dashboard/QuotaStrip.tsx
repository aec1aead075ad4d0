// My quotas: used of limit, and what is left. 0 is "no limit" for CPU and disk, and simply none for cards.
import { coresOf, formatCount, formatSize } from "@/shared/lib/numbers";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { Meter } from "@/shared/ui/Meter";
import { Panel } from "@/shared/ui/Panel";
import type { Quotas } from "./api";
import styles from "./figures.module.css";

interface QuotaStripProps {
  quotas: Quotas;
  refreshing: boolean;
}

export function QuotaStrip({ quotas, refreshing }: QuotaStripProps) {
  const { instances, gpus, cpu, disk } = quotas;
  const coresUsed = coresOf(cpu.used);
  const coresLimit = coresOf(cpu.limit);
  return (
    <Panel label="我的配额" refreshing={refreshing}>
      <div className={styles.strip}>
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
          label="GPU 卡"
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
        <DiskQuota disk={disk} />
      </div>
    </Panel>
  );
}

function left({ used, limit }: { used: number; limit: number }, unit: string): string {
  return used >= limit ? "已用完" : `还可用 ${formatCount(limit - used)} ${unit}`;
}

/** 312.40 beside 500.00 GB: the unit is said once when both have the same. */
function withoutUnitOf(limit: string, used: string): string {
  const [figure = used, unit] = used.split(" ");
  return limit.endsWith(` ${unit}`) ? figure : used;
}

function DiskQuota({ disk }: { disk: Quotas["disk"] }) {
  const limit = disk.limit === 0 ? "不限" : formatSize(disk.limit);
  if (disk.used === null) {
    return (
      <Quota
        icon="folder"
        label="网盘"
        used={0}
        limit={0}
        value="未知"
        of={limit}
        note="存储服务器没有给出用量"
      />
    );
  }
  const free = disk.limit - disk.used;
  return (
    <Quota
      icon="folder"
      label="网盘"
      used={disk.used}
      limit={disk.limit}
      value={withoutUnitOf(limit, formatSize(disk.used))}
      of={limit}
      note={disk.limit === 0 ? "" : free > 0 ? `还可用 ${formatSize(free)}` : "已用完"}
    />
  );
}

interface QuotaProps {
  icon: IconName;
  label: string;
  used: number;
  /** 0: no bar. */
  limit: number;
  value: string;
  of: string;
  note: string;
}

function Quota({ icon, label, used, limit, value, of, note }: QuotaProps) {
  return (
    <div className={styles.cell}>
      <div className={styles.key}>
        <Icon name={icon} />
        {label}
      </div>
      <div className={styles.value}>
        {value}
        <small>/ {of}</small>
      </div>
      <div className={styles.bar}>
        <Meter mine label={`${label}用量`} used={used} limit={limit} />
      </div>
      <div className={styles.note}>{note}</div>
    </div>
  );
}
