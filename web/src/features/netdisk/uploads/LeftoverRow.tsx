// An upload that a reload of the page interrupted. The browser has released its file and may only read it again once
// the user has picked it.
import { Button } from "antd";
import { useRef } from "react";
import { FileInput } from "@/shared/form/FileInput";
import { Icon } from "@/shared/theme/Icon";
import { StateText } from "@/shared/ui/StateText";
import { shownName } from "../disk-paths";
import { iconOfName } from "../kinds";
import type { Picked } from "./picked";
import { pickedFromInput } from "./picked";
import type { Unfinished } from "./remembered";
import styles from "./TransferPanel.module.css";

interface LeftoverRowProps {
  leftover: Unfinished;
  onPick: (picked: readonly Picked[]) => void;
  onGiveUp: () => void;
}

export function LeftoverRow({ leftover, onPick, onGiveUp }: LeftoverRowProps) {
  const input = useRef<HTMLInputElement>(null);
  const { isDir, percent } = leftover;
  const name = shownName(leftover.name);
  const what = isDir ? "文件夹" : "文件";
  return (
    <li className={styles.line}>
      <Icon name={isDir ? "folder" : iconOfName(name)} className={styles.icon} />
      <span className={styles.name} title={name}>
        {isDir ? `${name}/` : name}
      </span>
      <span className={styles.buttons}>
        <Button
          type="text"
          icon={<Icon name="close" size={14} />}
          aria-label={`放弃 ${name}`}
          title="放弃"
          onClick={onGiveUp}
        />
      </span>
      <span className={styles.sub}>
        <StateText icon="alert" tone="warning">
          {`页面重新打开过，已传 ${percent}%，请重新选择这个${what}继续`}
        </StateText>
        <Button
          size="small"
          icon={<Icon name={isDir ? "folder" : "file"} size={14} />}
          aria-label={`选择${what} ${name} 继续上传`}
          onClick={() => input.current?.click()}
        >
          选择{what}
        </Button>
        <FileInput
          ref={input}
          label={`${what} ${name}`}
          folder={isDir}
          onPick={(files) => onPick(pickedFromInput(files))}
        />
      </span>
    </li>
  );
}
