// Asks for the destination of a copy or move. Enter confirms, Escape closes.

import { Flex, Modal } from "antd";
import { useState } from "react";
import { formatCount } from "@/shared/lib/numbers";
import { Icon } from "@/shared/theme/Icon";
import { mayChange } from "../actions";
import type { Item } from "../api";
import { useDisk } from "../disk-context";
import { shownName } from "../disk-paths";
import { asMoved } from "../operations/clipboard";
import { faultOfTarget, type Verb } from "../operations/relocate";
import { FolderPicker } from "./FolderPicker";

interface RelocatePromptProps {
  verb: Verb;
  items: readonly Item[];
  /** The folder that they lie in. */
  folder: string;
  onConfirm: (to: string) => void;
  onClose: () => void;
}

export function RelocatePrompt({ verb, items, folder, onConfirm, onClose }: RelocatePromptProps) {
  const { viewer, titleOf } = useDisk();
  const [to, setTo] = useState(folder);
  const word = verb === "copy" ? "复制" : "移动";
  const [first] = items;
  const what = items.length === 1 && first ? shownName(first.name) : `${formatCount(items.length)} 项`;
  const here = verb === "rename" && to === folder ? "已经在这个文件夹里" : undefined;
  const fault = here ?? faultOfTarget(items.map(asMoved), to) ?? mayChange(to, viewer).reason;

  function confirm() {
    if (fault === undefined) onConfirm(to);
  }

  return (
    <Modal
      open
      title={`${word} ${what}`}
      width={480}
      okText={word}
      cancelText="取消"
      closeIcon={<Icon name="close" />}
      okButtonProps={{ disabled: fault !== undefined, title: fault }}
      onOk={confirm}
      onCancel={onClose}
    >
      <Flex vertical gap={8}>
        <FolderPicker start={folder} onPick={setTo} onConfirm={confirm} />
        <span aria-live="polite">
          {word}到：<b>{titleOf(to)}</b>
          {fault && `（${fault}）`}
        </span>
      </Flex>
    </Modal>
  );
}
