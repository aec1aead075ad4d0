import type { DiskUsage } from "@/shared/api/disk-usage";
import type { User } from "@/shared/api/profile";
import { coresOf, formatCount, formatSize } from "@/shared/lib/numbers";
import { fullTime } from "@/shared/lib/time";
import { Panel } from "@/shared/ui/Panel";
import styles from "./facts.module.css";

/** 0 means no limit, for CPU, memory and disk. */
const unlimited = (value: number, words: (value: number) => string) => (value === 0 ? "不限" : words(value));

/** The quota applies to the user's home and their own datasets. */
function usedText({ used, datasets, quota }: DiskUsage): string {
  const part = datasets > 0 ? `（其中数据集和版本 ${formatSize(datasets)}）` : "";
  const over = quota > 0 && used > quota ? `，超出 ${formatSize(used - quota)}` : "";
  return `，已用 ${formatSize(used)}${part}${over}`;
}

interface QuotasPanelProps {
  user: User;
  /** Use of the user's own files; undefined until the storage host has answered. */
  usage: DiskUsage | undefined;
}

export function QuotasPanel({ user, usage }: QuotasPanelProps) {
  const offset = user.instanceLimitOffset;
  return (
    <Panel title="我的配额" padded>
      <dl className={styles.facts}>
        <dt>实例</dt>
        <dd>
          {formatCount(user.instanceLimit)} 个{offset > 0 && `，临时 +${formatCount(offset)}`}
        </dd>
        <dt>显卡</dt>
        <dd>{user.GPUNumlimit === 0 ? "只能使用 CPU" : `${formatCount(user.GPUNumlimit)} 张`}</dd>
        <dt>CPU</dt>
        <dd>{unlimited(user.CPUPeriodQuota, (quota) => `${formatCount(coresOf(quota))} 核`)}</dd>
        <dt>内存</dt>
        <dd>{unlimited(user.memoryLimit, formatSize)}</dd>
        <dt>网盘</dt>
        <dd>
          {unlimited(user.diskQuota, formatSize)}
          {usage && usedText(usage)}
        </dd>
        {user.temporaryQuotas && (
          <>
            <dt>临时配额</dt>
            <dd>到 {fullTime(user.temporaryQuotas.until)}，之后恢复原来的配额</dd>
          </>
        )}
      </dl>
    </Panel>
  );
}
