// The selection and its actions. It covers the filter bar, so the table does not move.
import { Button, Flex } from "antd";
import type { ReactNode } from "react";
import { Icon } from "@/shared/theme/Icon";
import styles from "./SelectionBar.module.css";

interface SelectionBarProps {
  /** e.g. 已选 2 人 */
  text: string;
  /** The dangerous one last. */
  actions: ReactNode;
  onClear: () => void;
}

export function SelectionBar({ text, actions, onClear }: SelectionBarProps) {
  return (
    <section className={styles.bar} aria-label="批量操作">
      <Button
        type="text"
        aria-label="取消选择"
        title="取消选择"
        icon={<Icon name="close" size={14} />}
        onClick={onClear}
      />
      <b className={styles.count} aria-live="polite">
        {text}
      </b>
      <Flex gap={8} className={styles.actions}>
        {actions}
      </Flex>
    </section>
  );
}
