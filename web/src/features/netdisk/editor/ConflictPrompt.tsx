// The file was saved or deleted by another user since it was opened: keep theirs or mine. Escape returns to the text.
import { Button, Flex, Modal } from "antd";
import { Icon } from "@/shared/theme/Icon";

export type Conflict = "changed" | "gone";

const byStatus: Record<number, Conflict> = { 404: "gone", 412: "changed" };

/** The conflict that a refused save means; undefined when it was refused for another reason. */
export const conflictOf = (status: number) => byStatus[status];

interface ConflictPromptProps {
  name: string;
  conflict: Conflict;
  saving: boolean;
  /** Keeps mine: over theirs, or as a new file. */
  onOverwrite: () => void;
  onReload: () => void;
  onClose: () => void;
}

const words: Record<Conflict, { title: string; text: string; keep: string }> = {
  changed: {
    title: "已被别人修改",
    text: "从打开这个文件到现在，别人保存过它。覆盖后，别人的修改不能找回；重新载入后，你没有保存的修改不能找回。",
    keep: "用我的覆盖",
  },
  gone: {
    title: "已不在这里",
    text: "从打开这个文件到现在，它被删除、移走或改名了。可以用你的内容在原处新建一个。",
    keep: "新建并保存",
  },
};

export function ConflictPrompt(props: ConflictPromptProps) {
  const { name, conflict, saving, onOverwrite, onReload, onClose } = props;
  const { title, text, keep } = words[conflict];
  const gone = conflict === "gone";
  return (
    <Modal
      open
      title={`${name} ${title}`}
      width={440}
      closeIcon={<Icon name="close" />}
      onCancel={onClose}
      footer={
        <Flex gap={8} wrap justify="end">
          <Button onClick={onClose}>继续编辑</Button>
          {!gone && <Button onClick={onReload}>放弃我的修改，重新载入</Button>}
          <Button danger={!gone} type="primary" loading={saving} onClick={onOverwrite}>
            {keep}
          </Button>
        </Flex>
      }
    >
      {text}
    </Modal>
  );
}
