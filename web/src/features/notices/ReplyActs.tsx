// A reply to the work order that a notice is about. The whole thread is on its own page.
import { App, Button, Flex, Input } from "antd";
import { useState } from "react";
import { FormAlert } from "@/shared/form/FormAlert";
import type { Notice, NoticeKind } from "@/shared/notices/api";
import { useReply } from "./api";

/** After these the user may want to reply. */
const answerable: readonly NoticeKind[] = ["worksheet_created", "worksheet_replied", "worksheet_assigned"];

export const isAnswerable = ({ kind }: Pick<Notice, "kind">) => answerable.includes(kind);

interface ReplyActsProps {
  notice: Pick<Notice, "objectId" | "title">;
  /** The answer was sent. */
  onDone: () => void;
}

export function ReplyActs({ notice: { objectId, title }, onDone }: ReplyActsProps) {
  const { message } = App.useApp();
  const [open, setOpen] = useState(false);
  const [content, setContent] = useState("");
  const reply = useReply();
  const trimmed = content.trim();

  function send() {
    if (trimmed === "" || reply.isPending) return;
    reply.mutate(
      { id: objectId, content: trimmed },
      {
        onSuccess: () => {
          message.success("已回复", 1.5);
          setContent("");
          setOpen(false);
          onDone();
        },
      },
    );
  }

  if (!open)
    return (
      <Button aria-label={`回复：${title}`} onClick={() => setOpen(true)}>
        回复
      </Button>
    );
  return (
    <form
      aria-label={`回复：${title}`}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {reply.error && <FormAlert messages={[reply.error.fields[0]?.message ?? reply.error.message]} />}
      <Input.TextArea
        autoFocus
        aria-label="回复内容"
        placeholder="Ctrl+Enter 发送"
        autoSize={{ minRows: 2, maxRows: 8 }}
        maxLength={5000}
        value={content}
        onChange={({ target }) => setContent(target.value)}
        onKeyDown={({ key, ctrlKey, metaKey, nativeEvent }) => {
          if (key === "Enter" && (ctrlKey || metaKey) && !nativeEvent.isComposing) send();
        }}
      />
      <Flex gap={8} style={{ marginTop: 8 }}>
        <Button type="primary" htmlType="submit" disabled={trimmed === ""} loading={reply.isPending}>
          发送
        </Button>
        <Button disabled={reply.isPending} onClick={() => setOpen(false)}>
          取消
        </Button>
      </Flex>
    </form>
  );
}
