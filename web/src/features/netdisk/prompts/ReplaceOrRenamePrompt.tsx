// Something of the same name lies where an entry is to go: replace it, keep both, or give up. Enter replaces, Escape
// gives up.
import { Button, Checkbox, Flex, Modal } from "antd";
import { useState } from "react";
import touch from "@/shared/form/TouchChoice.module.css";
import { Icon } from "@/shared/theme/Icon";
import { shownName } from "../disk-paths";
import type { Answer, Choice } from "../operations/relocate";
import type { NameQuestion } from "../overlay";

interface ReplaceOrRenamePromptProps {
  question: NameQuestion;
  /** The displayed name of the target folder. */
  folder: string;
  onAnswer: (answer: Answer) => void;
}

export function ReplaceOrRenamePrompt({ question, folder, onAnswer }: ReplaceOrRenamePromptProps) {
  const [forAll, setForAll] = useState(false);
  const { verb, item, several } = question;
  const choose = (choice: Choice) => onAnswer({ choice, forAll });
  return (
    <Modal
      open
      title={`覆盖 ${shownName(item.name)}，还是改名？`}
      width={440}
      closeIcon={<Icon name="close" />}
      mask={{ closable: false }}
      onCancel={() => onAnswer(null)}
      footer={
        <Flex gap={8} justify="end">
          <Button onClick={() => onAnswer(null)}>取消</Button>
          <Button onClick={() => choose("rename")}>改名</Button>
          <Button type="primary" autoFocus onClick={() => choose("overwrite")}>
            覆盖
          </Button>
        </Flex>
      }
    >
      <Flex vertical gap={12}>
        <div>
          {folder}{" "}
          里已有同名的文件或文件夹。覆盖文件后原来的内容不能找回，覆盖文件夹会把内容合并进去；改名则两个都保留，
          {verb === "copy" ? "复制" : "移动"}过去的名称后加上序号。
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
