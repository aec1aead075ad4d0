// The upper edge of the panel, by which it is resized: dragged with a mouse or a finger, moved by keys.
import { type KeyboardEvent, type PointerEvent, useRef } from "react";
import styles from "./ShellPanel.module.css";
import { highest, lowest, setHeight } from "./shell-store";

const step = 5;

function heightAfter(key: string, height: number): number | null {
  if (key === "ArrowUp") return height + step;
  if (key === "ArrowDown") return height - step;
  if (key === "Home") return lowest;
  return key === "End" ? highest : null;
}

export function ResizeHandle({ height }: { height: number }) {
  const grip = useRef<{ y: number; height: number } | null>(null);

  function drag({ currentTarget, clientY }: PointerEvent) {
    const page = currentTarget.parentElement?.parentElement?.clientHeight ?? 0;
    if (!grip.current || page === 0) return;
    setHeight(grip.current.height + ((grip.current.y - clientY) / page) * 100);
  }

  function onKeyDown(event: KeyboardEvent) {
    const to = heightAfter(event.key, height);
    if (to === null) return;
    event.preventDefault();
    setHeight(to);
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a line can't be moved
    <div
      className={styles.handle}
      role="separator"
      aria-label="命令行的高度"
      aria-orientation="horizontal"
      aria-valuemin={lowest}
      aria-valuemax={highest}
      aria-valuenow={height}
      tabIndex={0}
      title="拖动改变高度"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        grip.current = { y: event.clientY, height };
      }}
      onPointerMove={drag}
      onPointerUp={() => {
        grip.current = null;
      }}
      onPointerCancel={() => {
        grip.current = null;
      }}
      onKeyDown={onKeyDown}
    />
  );
}
