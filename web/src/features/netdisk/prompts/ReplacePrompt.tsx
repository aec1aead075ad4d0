// A file of the same name is there already: replace it, or leave it and skip the upload. Enter replaces, Escape skips.
import { Button, Checkbox, Flex, Modal } from "antd";
import { useState } from "react";
import touch from "@/shared/form/TouchChoice.module.css";
import { Icon } from "@/shared/theme/Icon";
import { nameOf, parentOf, shownName } from "../disk-paths";
import type { Conflict, Decision } from "../uploads/queue";

interface ReplacePromptProps {
  conflict: Conflict;
  /** More files are under way that may meet the same. */
  several: boolean;
  onDecide: (decision: Decision, forAll: boolean) => void;
}

export function ReplacePrompt({ conflict, several, onDecide }: ReplacePromptProps) {
  const [forAll, setForAll] = useState(false);
  const decide = (decision: Decision) => onDecide(decision, forAll);
  return (
    <Modal
      open
      title={`替换 ${shownName(nameOf(conflict.path))}？`}
      width={440}
      closeIcon={<Icon name="close" />}
      mask={{ closable: false }}
      onCancel={() => decide("skip")}
      footer={
        <Flex gap={8} justify="end">
          <Button onClick={() => decide("skip")}>跳过</Button>
          <Button type="primary" autoFocus onClick={() => decide("overwrite")}>
            覆盖
          </Button>
        </Flex>
      }
    >
      <Flex vertical gap={12}>
        <div>
          {shownName(parentOf(conflict.path))}{" "}
          里已有同名的文件。覆盖后原来的内容不能找回；跳过则保留原来的文件。
        </div>
        {several && (
          <Checkbox
            className={touch.choice ?? ""}
            checked={forAll}
            onChange={(event) => setForAll(event.target.checked)}
          >
            其余的同名文件也这样处理
          </Checkbox>
        )}
      </Flex>
    </Modal>
  );
}
