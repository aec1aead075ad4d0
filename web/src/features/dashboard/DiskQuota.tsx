// Use of the user's part of the disk; for an administrator, whose root is the disk itself, of the whole disk.
import type { DiskUsage } from "@/shared/api/disk-usage";
import { formatSize } from "@/shared/lib/numbers";
import { Quota } from "./Quota";

export interface UsageState {
  data: DiskUsage | undefined;
  /** The storage host's words when it gave no answer. */
  fault: string | undefined;
}

interface DiskQuotaProps {
  /** The user's quota in bytes; 0 is no limit. */
  limit: number;
  admin: boolean;
  usage: UsageState;
}

export function DiskQuota({ limit, admin, usage }: DiskQuotaProps) {
  const label = { icon: "folder", label: admin ? "网盘存储（整盘）" : "网盘" } as const;
  if (!usage.data) {
    const note = usage.fault ? `用量未知：${usage.fault}` : "正在查询用量";
    return <Quota {...label} used={0} limit={0} value="—" of={limitText(limit)} note={note} />;
  }
  const bound = admin ? usage.data.total : limit;
  const { used, datasets } = usage.data;
  const part = datasets > 0 ? `其中数据集 ${formatSize(datasets)}` : "";
  return (
    <Quota
      {...label}
      used={used}
      limit={bound}
      value={withoutUnitOf(limitText(bound), formatSize(used))}
      of={limitText(bound)}
      note={[leftText(bound, used), part].filter(Boolean).join("，")}
    />
  );
}

const limitText = (limit: number) => (limit === 0 ? "不限" : formatSize(limit));

function leftText(limit: number, used: number): string {
  if (limit === 0) return "";
  if (used > limit) return `超出 ${formatSize(used - limit)}，不能再增加内容`;
  return used < limit ? `还可用 ${formatSize(limit - used)}` : "已用完";
}

/** 312.40 beside 500.00 GB: a common unit is shown once. */
function withoutUnitOf(limit: string, used: string): string {
  const [figure = used, unit] = used.split(" ");
  return limit.endsWith(` ${unit}`) ? figure : used;
}
