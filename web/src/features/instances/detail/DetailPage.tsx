// One instance: its progress, access, load, configuration and history.
import { useQuery } from "@tanstack/react-query";
import { Alert, Button } from "antd";
import { type ReactNode, Suspense } from "react";
import { useParams } from "react-router";
import { type InstanceDetail, instanceQuery, useExtend } from "@/shared/compute/api";
import { faultOrderLink, faultyOf } from "@/shared/compute/card-fault";
import { DetailGap } from "@/shared/compute/DetailGap";
import { InstanceActions } from "@/shared/compute/InstanceActions";
import { InstanceState } from "@/shared/compute/InstanceState";
import { isMoving, whyNotTaken } from "@/shared/compute/instance-state";
import { RunningFor } from "@/shared/compute/RunningFor";
import { modelsText, secondsBetween, spanText, whenText } from "@/shared/compute/text";
import { LinkButton } from "@/shared/frame/LinkButton";
import { useNow } from "@/shared/lib/use-now";
import { usePanel } from "@/shared/list/use-panel";
import { latePart } from "@/shared/parts/late-part";
import { usePageTitle } from "@/shared/stores/page-title";
import { isAdmin, useSession } from "@/shared/stores/session";
import { Columns, Stack } from "@/shared/table/Columns";
import { Icon } from "@/shared/theme/Icon";
import { PageHeader } from "@/shared/ui/PageHeader";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { useKeepRunning } from "../api";
import { Access } from "./Access";
import { ChangeDrawer } from "./ChangeDrawer";
import styles from "./DetailPage.module.css";
import { EndStrip } from "./EndStrip";
import { Facts } from "./Facts";
import { History } from "./History";
import { Log } from "./Log";
import { Monitor } from "./Monitor";
import { Steps } from "./Steps";

export default function DetailPage() {
  const { id = "" } = useParams();
  const instance = useQuery(instanceQuery(id));
  const { data, error } = instance;
  usePageTitle(data?.name);
  const retry = () => void instance.refetch();
  if (data)
    return <Detail instance={data} stale={error && <RefreshFailed error={error} onRetry={retry} />} />;
  return (
    <DetailGap
      title="实例"
      error={error}
      onRetry={retry}
      missing={{ text: "没有这个实例", note: "它不存在，或者不是你的" }}
      failed="实例没有取到"
    />
  );
}

/** A root is not counted while the instance is frozen, so space in it is freed afterwards. */
const howToGoOn = (frozen: NonNullable<InstanceDetail["frozen"]>) =>
  frozen === "root"
    ? "点上方的“清理空间并继续”，继续后在实例里清理。"
    : "点上方的“清理空间并继续”；有空间后也会自动继续。";

const SaveImageDrawer = latePart(
  async () => (await import("@/shared/images/SaveImageDrawer")).SaveImageDrawer,
  "aside",
);

const panels = ["edit", "save"] as const;

function Detail({ instance, stale }: { instance: InstanceDetail; stale: ReactNode }) {
  const session = useSession();
  const full = isAdmin(session) || session.id === instance.owner.id;
  const panel = usePanel(panels);
  const { server, gpus, started, state } = instance;
  const keptBack = full ? whyNotTaken(instance, isAdmin(session)) : "只有所有者和管理员能保存";
  const place = [server?.name, gpus.length > 0 ? modelsText(gpus) : "不占卡"];
  const about = [!full && `${instance.owner.username} 的实例`, instance.note];
  return (
    <div className={styles.page}>
      <PageHeader
        named
        title={instance.name}
        meta={
          <span className={styles.meta}>
            <InstanceState instance={instance} brief />
            <span>
              {place.filter(Boolean).join(" · ")}
              {state === "running" && started && (
                <>
                  {" · "}
                  <RunningFor since={started} exact />
                </>
              )}
              {about.filter(Boolean).map((text) => ` · ${text}`)}
            </span>
          </span>
        }
        actions={
          <div className={styles.actions}>
            <InstanceActions instance={instance} full={full} page>
              <Button
                icon={<Icon name="edit" size={14} />}
                disabled={!full || state === "releasing" || state === "released"}
                title={full ? undefined : "只有所有者和管理员能修改"}
                onClick={() => panel.show("edit")}
              >
                修改
              </Button>
              <Button
                icon={<Icon name="layers" size={14} />}
                disabled={keptBack !== undefined || (state !== "running" && state !== "stopped")}
                title={keptBack}
                onClick={() => panel.show("save")}
              >
                另存为镜像
              </Button>
            </InstanceActions>
          </div>
        }
      />
      <Stack>
        {stale}
        <Notices instance={instance} full={full} />
        <EndStrip instance={instance} full={full} />
        {/* Once it can be entered, how it came about is of less interest than the ways in. */}
        {state !== "released" && state !== "running" && <Steps instance={instance} />}
        <Columns
          side={
            <>
              <Facts instance={instance} />
              <History history={instance.history} />
            </>
          }
        >
          <Access instance={instance} own={session.id === instance.owner.id} full={full} />
          {state === "running" && <Steps instance={instance} />}
          {state === "running" && <Monitor instance={instance} />}
          {full && <Log instance={instance} />}
        </Columns>
      </Stack>
      <ChangeDrawer
        key={panel.opening}
        open={panel.name === "edit"}
        instance={instance}
        onClose={panel.close}
      />
      {panel.opening > 0 && (
        <Suspense fallback={null}>
          <SaveImageDrawer
            key={`save ${panel.opening}`}
            open={panel.name === "save"}
            instance={instance}
            onClose={panel.close}
          />
        </Suspense>
      )}
    </div>
  );
}

function idleText({ since, stopAt }: NonNullable<InstanceDetail["idle"]>, now: Date): string {
  const found = `已经 ${spanText(secondsBetween(since, now))}几乎没有使用显卡、CPU 和网络`;
  return stopAt
    ? `${found}，将于 ${whenText(stopAt)} 自动停止。停止后卡归还，容器与文件保留。`
    : `${found}。不用时请停止实例，把卡让给别人。`;
}

/** Base images have a shell as their command, which ends at once without a terminal. */
function EndedAtOnce({ id, full }: { id: string; full: boolean }) {
  const keep = useKeepRunning();
  return (
    <Alert
      type="warning"
      showIcon
      title="镜像自带的命令一启动就执行完了，所以实例停止了"
      description={
        keep.error?.message ??
        "ubuntu、python、nvidia/cuda 等基础镜像都是这样。改用一直等待的命令（sleep infinity）启动后，就可以打开终端使用；系统盘里的文件不变。"
      }
      action={
        full && (
          <Button size="small" type="primary" loading={keep.isPending} onClick={() => keep.mutate(id)}>
            保持运行并启动
          </Button>
        )
      }
    />
  );
}

/** What the user should know first. */
function Notices({ instance, full }: { instance: InstanceDetail; full: boolean }) {
  const extend = useExtend();
  const now = useNow(30_000);
  const { unreachable, state, stateReason, endedAtOnce, stopAt, idle, suspended, frozen } = instance;
  const faulty = faultyOf(instance.gpus);
  // The stop time stays; the confirmation itself counts.
  const keep = () => extend.mutate({ id: instance.id, stopAt: stopAt ?? null });
  return (
    <>
      {unreachable && (
        <Alert
          type="warning"
          showIcon
          title={`服务器 ${instance.server?.name ?? ""} 失联，下面是最后已知的状态。恢复后会自动更新，实例不受影响。`}
        />
      )}
      {suspended && (
        <Alert
          type="error"
          showIcon
          icon={<Icon name="pause" />}
          title={`实例已暂停：${suspended}`}
          description="程序停在原处，容器和网盘里的文件都还在。只有管理员能解除暂停；如果是误会，请提交工单说明。"
        />
      )}
      {faulty.length > 0 && state !== "released" && (
        <Alert
          type="error"
          showIcon
          title={`显卡故障：${faulty.map(({ index, fault }) => `卡 ${index} ${fault}`).join("；")}`}
          description="实例没有停止，但程序可能已经出错。请保存进度，停止实例后换一张卡；故障的卡修好之前不能再启动。"
          action={
            full && (
              <LinkButton
                size="small"
                to={faultOrderLink(faulty, { server: instance.server?.name ?? "", instance })}
              >
                提工单
              </LinkButton>
            )
          }
        />
      )}
      {frozen && (
        <Alert
          type="warning"
          showIcon
          icon={<Icon name="pause" />}
          title={stateReason || "实例已冻结"}
          description={
            full
              ? `程序停在原处，没有退出，文件都在。${howToGoOn(frozen)}`
              : "程序停在原处，没有退出，文件都在。所有者清理空间后继续运行。"
          }
        />
      )}
      {state === "error" && (
        <Alert type="error" showIcon title={`实例异常：${stateReason || "引擎没有说明原因"}`} />
      )}
      {endedAtOnce && <EndedAtOnce id={instance.id} full={full} />}
      {state !== "error" && stateReason && isMoving(instance) && (
        <Alert type="info" showIcon title={stateReason} />
      )}
      {idle && state === "running" && (
        <Alert
          type="warning"
          showIcon
          icon={<Icon name="clock" />}
          title={idleText(idle, now)}
          action={
            full &&
            idle.stopAt && (
              <Button size="small" loading={extend.isPending} onClick={keep}>
                继续使用
              </Button>
            )
          }
        />
      )}
    </>
  );
}
