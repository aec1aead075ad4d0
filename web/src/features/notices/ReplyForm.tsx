// A reply to a work order, without its thread.
import { App, Button, Flex, Input } from "antd";
import { useState } from "react";
import { FormAlert } from "@/shared/form/FormAlert";
import { useReply } from "./api";

interface ReplyFormProps {
  /** The order's. */
  id: string;
  title: string;
  /** The reply was sent. */
  onDone: () => void;
  onClose: () => void;
}

export function ReplyForm({ id, title, onDone, onClose }: ReplyFormProps) {
  const { message } = App.useApp();
  const [content, setContent] = useState("");
  const reply = useReply();
  const trimmed = content.trim();

  function send() {
    if (trimmed === "" || reply.isPending) return;
    reply.mutate(
      { id, content: trimmed },
      {
        onSuccess: () => {
          message.success("已回复", 1.5);
          onDone();
          onClose();
        },
      },
    );
  }

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
        <Button disabled={reply.isPending} onClick={onClose}>
          取消
        </Button>
      </Flex>
    </form>
  );
}
