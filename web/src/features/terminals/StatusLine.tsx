// The line below: whether there is a connection, how large the screen is, how to copy and to paste.
import { useSyncExternalStore } from "react";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { usePhone } from "@/shared/ui/usePhone";
import { canPaste, type Screen } from "./screen";
import { screenOf, type Terminal } from "./sessions";
import styles from "./TerminalDesk.module.css";

type Kind = Terminal["phase"]["kind"];

const states: Record<Kind, { icon: IconName; words: string; look: string | undefined }> = {
  connecting: { icon: "progress", words: "正在连接", look: undefined },
  login: { icon: "key", words: "等待登录", look: undefined },
  hostKey: { icon: "shield", words: "等待确认主机密钥", look: styles.warn },
  open: { icon: "success", words: "已连接", look: styles.ok },
  waiting: { icon: "unlink", words: "已断开", look: styles.warn },
  over: { icon: "stopped", words: "已结束", look: undefined },
};

export function StatusLine({ terminal: { id, phase }, number }: { terminal: Terminal; number: number }) {
  const phone = usePhone();
  const screen = screenOf(id);
  const { icon, words, look } = states[phase.kind];
  return (
    <footer className={styles.status}>
      <span className={look} role="status">
        <Icon name={icon} size={14} spin={icon === "progress"} /> 会话 {number} {words}
      </span>
      {screen && phase.kind === "open" && <ScreenSize screen={screen} />}
      <span>UTF-8</span>
      {!phone && (
        <span className={styles.hint}>
          选中即复制，{canPaste() ? "右键粘贴" : "Ctrl+Shift+V 粘贴"}；Ctrl+Shift+F6 离开终端
        </span>
      )}
    </footer>
  );
}

function ScreenSize({ screen }: { screen: Screen }) {
  const { cols, rows } = useSyncExternalStore(screen.onSize, () => screen.size);
  return (
    <span title="列 × 行">
      {cols} × {rows}
    </span>
  );
}
