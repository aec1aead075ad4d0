// Actions on several instances at once, by the same table of states as for one. Refused ones stay selected, and are
// listed with the reason in a dialogue that stays until it is closed.
import { App, Button, Modal } from "antd";
import { useState } from "react";
import { Icon } from "@/shared/theme/Icon";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { type BatchAct, type InstanceRefusal, type InstanceView, useActOnMany } from "./api";
import styles from "./InstanceBatch.module.css";
import { actLabels, whyNot } from "./instance-state";

interface InstanceBatchProps {
  instances: readonly InstanceView[];
  /** Receives the ids of the remaining ones. */
  onDone: (left: readonly string[]) => void;
}

const acts: readonly BatchAct[] = ["start", "stop", "release"];

interface Failures {
  act: BatchAct;
  done: number;
  refused: readonly { name: string; refusal: InstanceRefusal }[];
}

export function InstanceBatch({ instances, onDone }: InstanceBatchProps) {
  const { message } = App.useApp();
  const change = useActOnMany();
  const [asking, setAsking] = useState<BatchAct | null>(null);
  const [failures, setFailures] = useState<Failures | null>(null);
  const [showing, setShowing] = useState(false);
  const able = (act: BatchAct) => instances.filter((one) => whyNot(one, act) === undefined);

  function run(act: BatchAct) {
    const chosen = able(act);
    const nameOf = (id: string) => chosen.find((one) => one.id === id)?.name ?? id;
    change.mutate(
      { action: act, ids: chosen.map(({ id }) => id) },
      {
        onSuccess: ({ done, refused }) => {
          if (refused.length === 0) {
            message.success(`正在${actLabels[act]} ${done.length} 个实例`, 1.5);
          } else {
            const named = refused.map((refusal) => ({ name: nameOf(refusal.id), refusal }));
            setFailures({ act, done: done.length, refused: named });
            setShowing(true);
          }
          onDone(refused.map(({ id }) => id));
        },
        onError: (error) => message.error(error.message, 2),
        onSettled: () => setAsking(null),
      },
    );
  }

  const left = (act: BatchAct) => {
    const others = instances.length - able(act).length;
    return others > 0 && `另外 ${others} 个现在不能${actLabels[act]}，不受影响。`;
  };
  const people = (act: BatchAct) => {
    const owners = new Set(able(act).map(({ owner }) => owner.username)).size;
    return owners > 1 ? `${owners} 人的 ` : "";
  };

  return (
    <>
      {acts.map((act) => {
        const none = able(act).length === 0;
        return (
          <Button
            key={act}
            size="small"
            danger={act === "release"}
            disabled={none || change.isPending}
            title={none ? `选中的实例现在都不能${actLabels[act]}` : undefined}
            loading={change.isPending && change.variables.action === act && asking === null}
            onClick={() => (act === "start" ? run(act) : setAsking(act))}
          >
            {actLabels[act]}
          </Button>
        );
      })}
      <ConfirmDanger
        open={asking === "stop"}
        title={`停止 ${able("stop").length} 个实例？`}
        verb="停止"
        submitting={change.isPending}
        onConfirm={() => run("stop")}
        onClose={() => setAsking(null)}
      >
        {people("stop")}
        {able("stop").length}{" "}
        个实例里正在运行的程序会结束，显卡归还。容器里的文件和网盘文件都保留，可以再启动。
        {left("stop")}
      </ConfirmDanger>
      <ConfirmDanger
        open={asking === "release"}
        title={`释放 ${able("release").length} 个实例？`}
        verb="释放"
        shortName={`释放 ${able("release").length} 个`}
        submitting={change.isPending}
        onConfirm={() => run("release")}
        onClose={() => setAsking(null)}
      >
        {people("release")}
        {able("release").length} 个实例的容器和里面安装的程序会被删除，不能恢复；显卡、端口和配额立即归还。
        网盘里的文件（/home、/share、/groups、/datasets）保留。{left("release")}
      </ConfirmDanger>
      {failures && (
        <Modal
          open={showing}
          title={`${failures.refused.length} 个实例没有${actLabels[failures.act]}`}
          closeIcon={<Icon name="close" />}
          width={520}
          footer={
            <Button type="primary" onClick={() => setShowing(false)}>
              知道了
            </Button>
          }
          mask={{ closable: false }}
          onCancel={() => setShowing(false)}
        >
          {failures.done > 0 && <p>{`${failures.done} 个正在${actLabels[failures.act]}。`}</p>}
          <ul className={styles.reasons} aria-label="没有成功的实例">
            {failures.refused.map(({ name, refusal }) => (
              <li key={refusal.id}>
                <b>{name}</b>
                <span>{refusal.message}</span>
              </li>
            ))}
          </ul>
        </Modal>
      )}
    </>
  );
}
