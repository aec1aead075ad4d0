// Files of the network disk to go with an order or a reply: chosen there, or uploaded there first.
import { Button } from "antd";
import { useRef } from "react";
import { chooseFile } from "@/shared/stores/folder-choice";
import { Icon } from "@/shared/theme/Icon";
import styles from "./Attachments.module.css";

/** The server takes no more. */
const most = 10;

interface AttachmentsFieldProps {
  /** Paths as their author sees them. */
  value?: readonly string[];
  onChange?: (paths: string[]) => void;
  /** Only the paper clip, where there is little room. */
  compact?: boolean;
  disabled?: boolean;
}

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);

export function AttachmentsField({ value = [], onChange, compact = false, disabled }: AttachmentsFieldProps) {
  const button = useRef<HTMLButtonElement>(null);

  async function add() {
    const path = await chooseFile("选择附件");
    if (path && !value.includes(path)) onChange?.([...value, path]);
    button.current?.focus();
  }

  return (
    <div className={styles.field}>
      {value.map((path) => (
        <span key={path} className={styles.file} title={path}>
          <Icon name="attachment" size={14} />
          <span className={styles.name}>{nameOf(path)}</span>
          <button
            type="button"
            className={styles.remove}
            aria-label={`移除附件 ${nameOf(path)}`}
            onClick={() => onChange?.(value.filter((other) => other !== path))}
          >
            <Icon name="close" size={12} />
          </button>
        </span>
      ))}
      <Button
        ref={button}
        type={compact ? "text" : "default"}
        aria-label="添加附件"
        icon={<Icon name="attachment" size={14} />}
        disabled={disabled || value.length >= most}
        onClick={() => void add()}
      >
        {!compact && "从网盘添加"}
      </Button>
    </div>
  );
}
