// One entry of the operate log in full.

import { Drawer } from "antd";
import { drawerClose } from "@/shared/form/drawer-close";
import { actionLabel } from "@/shared/lib/operate-actions";
import { CopyText } from "@/shared/ui/CopyText";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import { usePhone } from "@/shared/ui/usePhone";
import type { OperateLog } from "./api";
import styles from "./OperateLog.module.css";
import { operateResult } from "./status";
import { withTimes } from "./times";

export function OperateResult({ result, count }: Pick<OperateLog, "result" | "count">) {
  const { icon, tone, label } = operateResult(result);
  return (
    <StateText icon={icon} tone={tone}>
      {withTimes(label, count)}
    </StateText>
  );
}

/** Details are text or JSON; JSON reads better on several lines. */
export function readable(detail: string): string {
  try {
    return JSON.stringify(JSON.parse(detail), null, 2);
  } catch {
    return detail;
  }
}

interface OperateDetailProps {
  /** Stays while the drawer slides out. */
  entry: OperateLog | undefined;
  open: boolean;
  onClose: () => void;
}

export function OperateDetail({ entry, open, onClose }: OperateDetailProps) {
  const phone = usePhone();
  return (
    <Drawer
      title={entry ? actionLabel(entry.action) : "操作详情"}
      open={open}
      onClose={onClose}
      size={phone ? "100%" : 480}
      closable={drawerClose}
    >
      {entry && (
        <dl className={styles.facts}>
          <dt>时间</dt>
          <dd>
            <TimeText time={entry.time} full />
          </dd>
          <dt>用户名</dt>
          <dd>{entry.username}</dd>
          <dt>IP 地址</dt>
          <dd>{entry.ip}</dd>
          <dt>操作</dt>
          <dd>
            {actionLabel(entry.action)}（{entry.action}）
          </dd>
          <dt>对象</dt>
          <dd>{entry.target || "—"}</dd>
          <dt>结果</dt>
          <dd>
            <OperateResult result={entry.result} count={entry.count} />
          </dd>
          <dt>详情</dt>
          <dd>{entry.detail ? <pre className={styles.detail}>{readable(entry.detail)}</pre> : "—"}</dd>
          <dt>请求</dt>
          <dd>
            {entry.requestId} <CopyText text={entry.requestId} label="复制请求编号" />
          </dd>
        </dl>
      )}
    </Drawer>
  );
}
