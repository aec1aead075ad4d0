// The order and its requester in figures.
import { App, Button, Select } from "antd";
import { Link } from "react-router";
import { links } from "@/shared/compute/links";
import { LinkButton } from "@/shared/frame/LinkButton";
import { coresOf, formatCount } from "@/shared/lib/numbers";
import { GB } from "@/shared/quotas/quotas";
import { useSession } from "@/shared/stores/session";
import { Meter } from "@/shared/ui/Meter";
import { TimeText } from "@/shared/ui/TimeText";
import type { WorksheetDetail } from "@/shared/worksheets/api";
import type { Standing } from "@/shared/worksheets/standing";
import { WorksheetStateText } from "@/shared/worksheets/WorksheetStateText";
import { isPriority, kindLabels, optionsOf, priorityLabels } from "@/shared/worksheets/words";
import { useChangeWorksheet, type WorksheetChange } from "./api";
import styles from "./Facts.module.css";

interface FactsProps {
  one: WorksheetDetail;
  standing: Standing;
}

export function Facts({ one, standing }: FactsProps) {
  const me = useSession((session) => session.id);
  const change = useChangeWorksheet();
  const { message } = App.useApp();
  const set = (body: WorksheetChange) =>
    change.mutate({ id: one.id, body }, { onError: (failure) => message.error(failure.message, 2) });
  const handler = one.handler && (one.handler.name || one.handler.username);
  return (
    <div className={styles.facts}>
      <h3>工单</h3>
      <dl>
        <dt>状态</dt>
        <dd>
          <WorksheetStateText state={one.state} />
        </dd>
        <dt>类型</dt>
        <dd>{kindLabels[one.type]}</dd>
        <dt>优先级</dt>
        <dd>
          {standing.admin || standing.own ? (
            <Select
              aria-label="优先级"
              size="small"
              value={one.priority}
              loading={change.isPending}
              options={optionsOf(priorityLabels)}
              onChange={(priority: string) => isPriority(priority) && set({ priority })}
            />
          ) : (
            priorityLabels[one.priority]
          )}
        </dd>
        <dt>处理人</dt>
        <dd>
          {handler ?? "还没有"}
          {standing.admin && one.handler?.id !== me && (
            <Button type="link" size="small" onClick={() => set({ handler: me })}>
              由我处理
            </Button>
          )}
        </dd>
        <dt>提交</dt>
        <dd>
          <TimeText time={one.Created} full />
        </dd>
        <dt>更新</dt>
        <dd>
          <TimeText time={one.Updated} full />
        </dd>
      </dl>
      <h3>申请人</h3>
      <div>
        {one.requester.name || one.requester.username}
        <div className={styles.note}>{one.requester.username}</div>
      </div>
      {one.holdings ? (
        <Holdings one={one} holdings={one.holdings} admin={standing.admin} />
      ) : (
        <div className={styles.note}>账号已删除</div>
      )}
      {one.instance && (
        <>
          <h3>相关</h3>
          <Link to={links.instance(one.instance.id)}>{one.instance.name}</Link>
        </>
      )}
    </div>
  );
}

interface HoldingsProps {
  one: WorksheetDetail;
  holdings: NonNullable<WorksheetDetail["holdings"]>;
  admin: boolean;
}

function Holdings({ one, holdings, admin }: HoldingsProps) {
  const { quotas, instances, gpus, cpu, memory } = holdings;
  const rows = [
    { label: "实例", used: instances, limit: quotas.instanceLimit + quotas.instanceLimitOffset, unit: "" },
    { label: "显卡", used: gpus, limit: quotas.GPUNumlimit, unit: "" },
    { label: "CPU", used: coresOf(cpu), limit: coresOf(quotas.CPUPeriodQuota), unit: " 核" },
    { label: "内存", used: memory / GB, limit: quotas.memoryLimit / GB, unit: " GB" },
  ];
  return (
    <>
      {rows.map(({ label, used, limit, unit }) => (
        <div key={label}>
          <div className={styles.use}>
            <span>{label}</span>
            <span>
              {formatCount(used)} /{" "}
              {limit === 0 && (label === "CPU" || label === "内存") ? "不限" : `${formatCount(limit)}${unit}`}
            </span>
          </div>
          <Meter thin label={`${label}用量`} used={used} limit={limit} />
        </div>
      ))}
      {admin && (
        <LinkButton to={`/users/user_list?q=${encodeURIComponent(one.requester.username)}`}>
          查看用户
        </LinkButton>
      )}
    </>
  );
}
