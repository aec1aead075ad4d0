// Opens another terminal: a menu of the instance's shells.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Icon } from "@/shared/theme/Icon";
import { DropMenu } from "@/shared/ui/DropMenu";
import { useReturnFocus } from "@/shared/ui/use-return-focus";
import { shellsQuery } from "./api";
import styles from "./TerminalTabs.module.css";

interface ShellMenuProps {
  instance: string;
  disabled: boolean;
  onOpen: (shell: string) => void;
}

export function ShellMenu({ instance, disabled, onOpen }: ShellMenuProps) {
  const [opened, setOpened] = useState(false);
  const shells = useQuery({ ...shellsQuery(instance), enabled: opened });
  const { trigger, onOpenChange } = useReturnFocus();
  const note = shells.error ? `没有取到：${shells.error.message}` : "正在查看有哪些 Shell";
  return (
    <DropMenu
      trigger={["click"]}
      disabled={disabled}
      onOpenChange={(open, info) => {
        if (open) setOpened(true);
        onOpenChange(open, info);
      }}
      getPopupContainer={(button) => button.closest("section") ?? document.body}
      menu={{
        items: shells.data
          ? shells.data.shells.map((shell) => ({ key: shell, label: shell, onClick: () => onOpen(shell) }))
          : [{ key: "note", label: note, disabled: true }],
      }}
    >
      <button
        ref={trigger}
        type="button"
        className={styles.more}
        disabled={disabled}
        aria-label="新会话"
        title={disabled ? "实例没有在运行" : "新会话"}
      >
        <Icon name="plus" size={14} />
      </button>
    </DropMenu>
  );
}
