// Searches the output of the shown terminal.
import { useEffect, useRef, useState } from "react";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import styles from "./SearchBox.module.css";
import { screenOf, type Terminal } from "./sessions";

function countWords({ found }: Terminal, text: string): string {
  if (text === "" || !found) return "";
  if (found.count === 0) return "没有找到";
  return found.index < 0 ? `超过 ${found.count} 处` : `${found.index + 1} / ${found.count}`;
}

export function SearchBox({ terminal, onClose }: { terminal: Terminal; onClose: () => void }) {
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const find = (step: "next" | "previous" | "typing", what = text) => screenOf(terminal.id)?.find(what, step);

  useEffect(() => field.current?.focus(), []);

  return (
    <search className={styles.box} aria-label="在终端里查找">
      <Icon name="search" size={14} />
      <input
        ref={field}
        className={styles.field}
        aria-label="查找内容"
        placeholder="查找"
        value={text}
        onChange={({ target: { value } }) => {
          setText(value);
          find("typing", value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") find(event.shiftKey ? "previous" : "next");
          else if (event.key === "Escape") onClose();
          else return;
          event.preventDefault();
        }}
      />
      <span className={styles.count} role="status">
        {countWords(terminal, text)}
      </span>
      <BoxButton icon="up" label="上一个" onClick={() => find("previous")} />
      <BoxButton icon="down" label="下一个" onClick={() => find("next")} />
      <BoxButton icon="close" label="关闭查找" onClick={onClose} />
    </search>
  );
}

function BoxButton({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) {
  return (
    <button type="button" className={styles.button} aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} size={14} />
    </button>
  );
}
