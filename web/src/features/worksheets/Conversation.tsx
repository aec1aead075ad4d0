// One order: its header with the actions, the thread, the reply box, and the facts.
import { App, Button, Drawer } from "antd";
import { useState } from "react";
import { drawerClose } from "@/shared/form/drawer-close";
import { useMediaQuery } from "@/shared/lib/use-media-query";
import { useSession } from "@/shared/stores/session";
import { Icon } from "@/shared/theme/Icon";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { DropMenu } from "@/shared/ui/DropMenu";
import type { Failure } from "@/shared/ui/failure";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { TimeText } from "@/shared/ui/TimeText";
import { useReturnFocus } from "@/shared/ui/use-return-focus";
import { usePhone } from "@/shared/ui/usePhone";
import type { WorksheetDetail, WorksheetState } from "@/shared/worksheets/api";
import { standingOf } from "@/shared/worksheets/standing";
import { WorksheetStateText } from "@/shared/worksheets/WorksheetStateText";
import { kindLabels } from "@/shared/worksheets/words";
import { useChangeWorksheet, useDeleteWorksheet } from "./api";
import styles from "./Conversation.module.css";
import { EditWorksheetDrawer } from "./EditWorksheetDrawer";
import { Facts } from "./Facts";
import { ReplyBox } from "./ReplyBox";
import { Thread } from "./Thread";

interface ConversationProps {
  one: WorksheetDetail;
  /** The last fetch failed; the shown data is older. */
  error: Failure | null;
  onRetry: () => void;
  onBack: () => void;
  /** Its deletion began, or failed. */
  onDeleting: (deleting: boolean) => void;
}

export function Conversation({ one, error, onRetry, onBack, onDeleting }: ConversationProps) {
  const session = useSession();
  const standing = standingOf(one, session);
  const phone = usePhone();
  const narrow = useMediaQuery("(max-width: 1199px)");
  const { message } = App.useApp();
  const { trigger, onOpenChange } = useReturnFocus();
  const change = useChangeWorksheet();
  const remove = useDeleteWorksheet();
  const [asking, setAsking] = useState<"delete" | "edit" | "facts" | null>(null);
  const [opening, setOpening] = useState(0);
  const [next, ...others] = standing.steps;

  const step = (state: WorksheetState) =>
    change.mutate(
      { id: one.id, body: { state } },
      { onError: (failure) => message.error(failure.message, 2) },
    );

  function confirmDeletion() {
    onDeleting(true);
    remove.mutate(one.id, {
      onSuccess: () => {
        message.success("工单已删除", 1.5);
        onBack();
      },
      onError: (failure) => {
        onDeleting(false);
        message.error(failure.message, 2);
      },
    });
  }

  const items = [
    ...(phone && next ? [next, ...others] : others).map(({ to, label }) => ({
      key: to,
      label,
      onClick: () => step(to),
    })),
    ...(standing.mayRewrite
      ? [
          {
            key: "edit",
            label: "修改申请内容",
            onClick: () => {
              setOpening((count) => count + 1);
              setAsking("edit");
            },
          },
        ]
      : []),
    ...(narrow ? [{ key: "facts", label: "工单信息", onClick: () => setAsking("facts") }] : []),
    {
      key: "delete",
      label: <span title={standing.cannotDelete}>删除工单</span>,
      danger: true,
      disabled: standing.cannotDelete !== undefined,
      onClick: () => setAsking("delete"),
    },
  ];

  return (
    <>
      <section className={styles.conversation} aria-label={`工单 #${one.number}`}>
        <header className={styles.head}>
          {phone && <Button type="text" aria-label="返回列表" icon={<Icon name="left" />} onClick={onBack} />}
          <div className={styles.words}>
            <h2 className={styles.title}>{one.title}</h2>
            <div className={styles.meta}>
              #{one.number} · {one.requester.name || one.requester.username} · {kindLabels[one.type]} ·{" "}
              <TimeText time={one.Created} /> 提交
            </div>
          </div>
          <WorksheetStateText state={one.state} />
          {!phone && next && (
            <Button
              icon={<Icon name={next.to === "done" ? "success" : "running"} size={14} />}
              loading={change.isPending}
              onClick={() => step(next.to)}
            >
              {next.label}
            </Button>
          )}
          <DropMenu menu={{ items }} trigger={["click"]} onOpenChange={onOpenChange}>
            <Button ref={trigger} type="text" aria-label="更多操作" icon={<Icon name="more" />} />
          </DropMenu>
        </header>
        {error && <RefreshFailed error={error} onRetry={onRetry} />}
        <Thread one={one} standing={standing} />
        <ReplyBox key={one.id} one={one} standing={standing} />
      </section>
      {narrow ? (
        <Drawer
          title="工单信息"
          open={asking === "facts"}
          closable={drawerClose}
          size={phone ? "100%" : 320}
          onClose={() => setAsking(null)}
        >
          <Facts one={one} standing={standing} />
        </Drawer>
      ) : (
        <aside className={styles.aside} aria-label="工单信息">
          <Facts one={one} standing={standing} />
        </aside>
      )}
      <EditWorksheetDrawer
        key={`edit ${opening}`}
        one={one}
        open={asking === "edit"}
        onClose={() => setAsking(null)}
      />
      <ConfirmDanger
        open={asking === "delete"}
        title={`删除工单 #${one.number}？`}
        verb="删除"
        submitting={remove.isPending}
        onClose={() => setAsking(null)}
        onConfirm={confirmDeletion}
      >
        工单“{one.title}”和其中的对话会一起删除，不能恢复。附件还在网盘里。
      </ConfirmDanger>
    </>
  );
}
