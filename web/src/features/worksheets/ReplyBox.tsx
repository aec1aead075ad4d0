// The reply box. Administrators have canned answers.
import { App, Button, Flex, Input } from "antd";
import type { KeyboardEvent } from "react";
import { Icon } from "@/shared/theme/Icon";
import type { WorksheetDetail, WorksheetState } from "@/shared/worksheets/api";
import type { Standing } from "@/shared/worksheets/standing";
import { AttachmentsField } from "./AttachmentsField";
import { useReply } from "./api";
import { setDraft, useDraft } from "./drafts";
import styles from "./ReplyBox.module.css";

const quickReplies = ["已处理，请确认", "请补充说明", "配额已调整", "请先释放不用的实例"];

interface ReplyBoxProps {
  one: WorksheetDetail;
  standing: Standing;
}

/** The state that a reply can change to, if any. */
function stepWith({ admin, own, steps }: Standing): { to: WorksheetState; label: string } | null {
  if (admin && steps.some(({ to }) => to === "done")) return { to: "done", label: "回复并完成" };
  if (own && steps.some(({ to }) => to === "undo")) return { to: "undo", label: "回复并重新打开" };
  return null;
}

export function ReplyBox({ one, standing }: ReplyBoxProps) {
  const { message } = App.useApp();
  const { content, files } = useDraft(one.id);
  const reply = useReply();
  const ready = content.trim() !== "" || files.length > 0;
  const along = stepWith(standing);

  if (standing.cannotReply) return <div className={styles.closed}>{standing.cannotReply}，不能再回复</div>;

  function send(state?: WorksheetState) {
    if (!ready || reply.isPending) return;
    reply.mutate({ id: one.id, state }, { onError: (failure) => message.error(failure.message, 2) });
  }

  const write = (words: string) => setDraft(one.id, { content: words });

  function pressed(event: KeyboardEvent) {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  }

  const whom = standing.own && !standing.admin ? "管理员" : one.requester.name || one.requester.username;
  return (
    <div className={styles.box}>
      {standing.admin && (
        <div className={styles.quick}>
          <span className={styles.label}>快捷回复</span>
          {quickReplies.map((text) => (
            <Button key={text} onClick={() => write(content ? `${content}\n${text}` : text)}>
              {text}
            </Button>
          ))}
        </div>
      )}
      <Input.TextArea
        aria-label="回复"
        placeholder={`回复${whom}，Ctrl+Enter 发送`}
        value={content}
        maxLength={5000}
        autoSize={{ minRows: 2, maxRows: 8 }}
        onChange={({ target }) => write(target.value)}
        onKeyDown={pressed}
      />
      <Flex gap={8} align="flex-end" justify="space-between" className={styles.foot}>
        <AttachmentsField
          compact
          value={files}
          onChange={(paths) => setDraft(one.id, { files: paths })}
          disabled={reply.isPending}
        />
        <Flex gap={8} flex="none">
          {along && (
            <Button disabled={!ready || reply.isPending} onClick={() => send(along.to)}>
              {along.label}
            </Button>
          )}
          <Button
            type="primary"
            icon={<Icon name="send" size={14} />}
            disabled={!ready}
            loading={reply.isPending}
            onClick={() => send()}
          >
            发送
          </Button>
        </Flex>
      </Flex>
    </div>
  );
}
