// Progress of adding a server: each step as the script reports it, and failures with advice.
import { App, Button } from "antd";
import { useState } from "react";
import { LinkButton } from "@/shared/frame/LinkButton";
import { fullTime } from "@/shared/lib/time";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { Panel } from "@/shared/ui/Panel";
import { StateText } from "@/shared/ui/StateText";
import { type JoinView, useWithdrawJoin } from "./api";
import styles from "./Join.module.css";
import { outcomeLooks, stateLooks, steps } from "./words";

interface JoinProgressProps {
  join: JoinView;
  onAgain: () => void;
}

export function JoinProgress({ join, onAgain }: JoinProgressProps) {
  const look = stateLooks[join.state];
  const overdue = !join.open && join.state !== "done" && join.state !== "withdrawn";
  return (
    <Panel
      title={`${join.name} 的进度`}
      extra={
        <StateText icon={overdue ? "clock" : look.icon} tone={overdue ? "off" : look.tone}>
          {overdue ? "已过期" : look.label}
        </StateText>
      }
    >
      <ol className={styles.steps} aria-label="添加的步骤" aria-live="polite">
        {steps.map(({ step, title, cure }) => {
          const found = join.steps.find((report) => report.step === step);
          const outcome = outcomeLooks[found?.outcome ?? "pending"];
          return (
            <li key={step} className={styles.step}>
              <div className={styles.head}>
                <b>{title}</b>
                <StateText icon={outcome.icon} tone={outcome.tone}>
                  {outcome.label}
                </StateText>
              </div>
              {found?.detail && <p>{found.detail}</p>}
              {found?.outcome === "failed" && <p className={styles.cure}>{cure}</p>}
            </li>
          );
        })}
      </ol>
      <Foot join={join} overdue={overdue} onAgain={onAgain} />
    </Panel>
  );
}

function Foot({ join, overdue, onAgain }: JoinProgressProps & { overdue: boolean }) {
  const { message } = App.useApp();
  const [asking, setAsking] = useState(false);
  const withdraw = useWithdrawJoin();
  if (join.state === "done" && join.server) {
    return (
      <div className={styles.foot}>
        <LinkButton type="primary" to={`/servers/server_detail/${join.server}`}>
          查看服务器
        </LinkButton>
        <LinkButton to="/servers/server_allocation">分配给用户</LinkButton>
        <Button onClick={onAgain}>再添加一台</Button>
      </div>
    );
  }
  if (!join.open) {
    return (
      <div className={styles.foot}>
        {overdue && "口令已过期，已经做好的步骤不会白做。"}
        <Button onClick={onAgain}>重新生成命令</Button>
      </div>
    );
  }
  return (
    <div className={styles.foot}>
      {join.state === "waiting" && `等待服务器运行命令，口令在 ${fullTime(join.expires)} 前有效`}
      <Button danger onClick={() => setAsking(true)}>
        作废
      </Button>
      <ConfirmDanger
        open={asking}
        title={`作废 ${join.name} 的命令？`}
        verb="作废"
        submitting={withdraw.isPending}
        onConfirm={() =>
          withdraw.mutate(join.id, {
            onSuccess: () => message.success("已作废", 1.5),
            onError: (error) => message.error(error.message, 2),
            onSettled: () => setAsking(false),
          })
        }
        onClose={() => setAsking(false)}
      >
        命令不能再用。服务器上已经做好的设置会保留。
      </ConfirmDanger>
    </div>
  );
}
