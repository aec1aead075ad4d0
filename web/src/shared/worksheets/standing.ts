// The rights of the reader to a work order: one table, which mirrors the server's rules so that buttons that would be
// refused are disabled with the reason.
import type { Session } from "@/shared/stores/session";
import { isAdmin } from "@/shared/stores/session";
import type { Worksheet, WorksheetState } from "./api";

export interface Step {
  to: WorksheetState;
  label: string;
}

export interface Standing {
  admin: boolean;
  /** The reader is the requester. */
  own: boolean;
  /** The next step first, then the others. */
  steps: readonly Step[];
  /** Figures that are waiting for a decision. */
  decides: boolean;
  mayRewrite: boolean;
  /** Why not; undefined when it may be. */
  cannotReply: string | undefined;
  cannotDelete: string | undefined;
}

const done: Step = { to: "done", label: "标为已完成" };
const close: Step = { to: "closed", label: "关闭工单" };

const administratorSteps: Readonly<Record<WorksheetState, readonly Step[]>> = {
  undo: [{ to: "doing", label: "开始处理" }, done, close],
  doing: [done, { to: "undo", label: "退回待处理" }, close],
  done: [close, { to: "doing", label: "重新打开" }],
  closed: [{ to: "doing", label: "重新打开" }],
};

const requesterSteps: Readonly<Record<WorksheetState, readonly Step[]>> = {
  undo: [{ to: "closed", label: "撤回" }],
  doing: [
    { to: "done", label: "已解决" },
    { to: "closed", label: "撤回" },
  ],
  done: [
    { to: "undo", label: "还没解决" },
    { to: "closed", label: "确认并关闭" },
  ],
  closed: [],
};

export function standingOf(one: Worksheet, session: Session): Standing {
  const admin = isAdmin(session);
  const own = one.requester.id === session.id;
  const open = one.state === "undo" || one.state === "doing";
  const steps = admin ? administratorSteps : own ? requesterSteps : null;
  const undecided = !one.decision && Boolean(one.quotas ?? one.cards);
  const untouched = one.state === "undo" && !one.handler;
  return {
    admin,
    own,
    // A request that is done was granted, which its requester cannot decide.
    steps: (steps?.[one.state] ?? []).filter(({ to }) => admin || to !== "done" || !undecided),
    decides: admin && open && undecided,
    mayRewrite: own && open && !one.decision,
    cannotReply: one.state === "closed" ? "工单已关闭" : undefined,
    cannotDelete:
      admin || (own && untouched)
        ? undefined
        : own
          ? "已有人处理的工单不能删除，可以关闭"
          : "只有申请人和管理员可以删除",
  };
}
