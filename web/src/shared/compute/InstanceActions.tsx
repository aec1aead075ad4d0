// Actions on one instance: the state decides, and disabled actions show the reason. Used in rows and on the instance's
// own page, so that both ask the same questions.
import { App, Button } from "antd";
import { type ReactNode, Suspense, useState } from "react";
import { useNavigate } from "react-router";
import { latePart } from "@/shared/parts/late-part";
import { isAdmin, useSession } from "@/shared/stores/session";
import { type RowAction, RowActions } from "@/shared/table/RowActions";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { type InstanceAct, type InstanceView, useActOn } from "./api";
import { actLabels, isStopped, whyNot } from "./instance-state";
import { links } from "./links";

// The calendar in it is large, and rarely needed.
const ExtendDialog = latePart(async () => (await import("./ExtendDialog")).ExtendDialog, "aside");
// Rarely wanted as well.
const MakeRoomDialog = latePart(async () => (await import("./MakeRoomDialog")).MakeRoomDialog, "aside");

interface InstanceActionsProps {
  instance: InstanceView;
  /** The user owns it or is an administrator; otherwise the user leads the owner's group and may only stop it. */
  full: boolean;
  /** As buttons of a page's head rather than of a row. */
  page?: boolean;
  /** More buttons of a page's head, before the last, which destroys. */
  children?: ReactNode;
}

const icons: Readonly<Record<string, IconName>> = {
  extend: "clock",
  start: "start",
  stop: "stopped",
  restart: "restart",
  release: "trash",
  resume: "start",
  goOn: "start",
};

const done: Record<InstanceAct, string> = {
  start: "正在启动",
  stop: "正在停止",
  restart: "正在重启",
  release: "正在释放",
  resume: "正在恢复",
};

const leaderOnly = "组长只能查看和停止组员的实例";

export function InstanceActions({ instance, full, page = false, children }: InstanceActionsProps) {
  const { message } = App.useApp();
  const navigate = useNavigate();
  const act = useActOn();
  const admin = useSession(isAdmin);
  const [asking, setAsking] = useState<InstanceAct | "extend" | "goOn" | null>(null);
  // Stays once opened, so that it can fade out.
  const [extending, setExtending] = useState(false);
  const [makingRoom, setMakingRoom] = useState(false);
  const close = () => setAsking(null);

  function run(what: InstanceAct) {
    act.mutate(
      { act: what, id: instance.id },
      {
        onSuccess: () => message.success(`${done[what]} ${instance.name}`, 1.5),
        onError: (error) => message.error(error.message, 2),
        onSettled: close,
      },
    );
  }

  const action = (what: InstanceAct): RowAction => ({
    key: what,
    label: actLabels[what],
    danger: what === "release",
    onClick: () => (what === "start" || what === "resume" ? run(what) : setAsking(what)),
    disabledReason: whyNot(instance, what),
  });
  const extend: RowAction = {
    key: "extend",
    label: "续期",
    onClick: () => {
      setExtending(true);
      setAsking("extend");
    },
    disabledReason: full ? whyNotExtend(instance) : leaderOnly,
  };
  const details: RowAction = {
    key: "details",
    label: "详情",
    onClick: () => void navigate(links.instance(instance.id)),
  };
  const lift = admin && instance.suspended ? [action("resume")] : [];
  const goOn: RowAction = {
    key: "goOn",
    label: "清理空间并继续",
    onClick: () => {
      setMakingRoom(true);
      setAsking("goOn");
    },
    disabledReason: full ? undefined : leaderOnly,
  };
  const thaw = instance.frozen ? [goOn] : [];
  const stopped = isStopped(instance);
  const usual = stopped ? action("start") : extend;
  const rest = [
    ...lift,
    ...thaw,
    extend,
    action("start"),
    action("restart"),
    action("stop"),
    action("release"),
  ];
  const first = lift[0] ?? (full ? (thaw[0] ?? usual) : action("stop"));
  // Starting and restarting never make sense together.
  const shown = rest.filter(({ key }) => key !== (stopped ? "restart" : "start"));

  const button = ({ key, label, danger, disabledReason, onClick }: RowAction) => (
    <Button
      key={key}
      danger={danger && disabledReason === undefined}
      disabled={disabledReason !== undefined}
      title={disabledReason}
      icon={<Icon name={icons[key] ?? "clock"} size={14} />}
      loading={act.isPending && act.variables.act === key && asking === null}
      onClick={onClick}
    >
      {label}
    </Button>
  );

  return (
    <>
      {page ? (
        <>
          {shown.filter(({ key }) => key !== "release").map(button)}
          {children}
          {shown.filter(({ key }) => key === "release").map(button)}
        </>
      ) : (
        <RowActions
          name={instance.name}
          first={[first]}
          more={[details, ...shown.filter(({ key }) => key !== first.key)]}
        />
      )}
      <ConfirmDanger
        open={asking === "stop"}
        title={`停止实例 ${instance.name}？`}
        verb="停止"
        submitting={act.isPending}
        onConfirm={() => run("stop")}
        onClose={close}
      >
        正在运行的程序会结束，显卡归还给其他人使用。容器里的文件和网盘文件都保留，之后可以再启动。
      </ConfirmDanger>
      <ConfirmDanger
        open={asking === "restart"}
        title={`重启实例 ${instance.name}？`}
        verb="重启"
        submitting={act.isPending}
        onConfirm={() => run("restart")}
        onClose={close}
      >
        正在运行的程序会结束。显卡、端口和文件都保留。
      </ConfirmDanger>
      <ConfirmDanger
        open={asking === "release"}
        title={`释放实例 ${instance.name}？`}
        verb="释放"
        shortName={instance.name.slice(-8)}
        submitting={act.isPending}
        onConfirm={() => run("release")}
        onClose={close}
      >
        容器和里面安装的程序会被删除，不能恢复；显卡、端口和配额立即归还。网盘里的文件（/home、/share、/groups、/datasets）保留。
      </ConfirmDanger>
      {extending && (
        <Suspense>
          <ExtendDialog open={asking === "extend"} instance={instance} onClose={close} />
        </Suspense>
      )}
      {makingRoom && (
        <Suspense>
          <MakeRoomDialog open={asking === "goOn"} instance={instance} onClose={close} />
        </Suspense>
      )}
    </>
  );
}

/** The time at which it stops, or until which it is kept, can be moved if there is one. */
function whyNotExtend({ state }: InstanceView): string | undefined {
  return state === "releasing" || state === "released" ? "实例正在释放，不能续期" : undefined;
}
