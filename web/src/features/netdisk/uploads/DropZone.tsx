// Takes files and folders dragged in from the desktop.
import { type DragEvent, type ReactNode, useRef, useState } from "react";
import { Icon } from "@/shared/theme/Icon";
import styles from "./DropZone.module.css";

interface DropZoneProps {
  /** Why nothing can be dropped here. */
  closed: string | undefined;
  /** The name of the folder that it would go into. */
  folder: string;
  onDrop: (data: DataTransfer) => void;
  children: ReactNode;
}

const carriesFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");

export function DropZone({ closed, folder, onDrop, children }: DropZoneProps) {
  const [over, setOver] = useState(false);
  // Enter and leave fire for every element on the way; only the difference tells whether the drag is still inside.
  const depth = useRef(0);

  function entered(event: DragEvent) {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth.current += 1;
    setOver(true);
  }

  function moved(event: DragEvent) {
    if (!carriesFiles(event)) return;
    // Otherwise the browser opens the file in place of the page.
    event.preventDefault();
    event.dataTransfer.dropEffect = closed ? "none" : "copy";
  }

  function left(event: DragEvent) {
    if (!carriesFiles(event)) return;
    depth.current -= 1;
    if (depth.current <= 0) setOver(false);
  }

  function dropped(event: DragEvent) {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth.current = 0;
    setOver(false);
    if (!closed) onDrop(event.dataTransfer);
  }

  return (
    <section
      aria-label="文件列表"
      className={styles.zone}
      onDragEnter={entered}
      onDragOver={moved}
      onDragLeave={left}
      onDrop={dropped}
    >
      {children}
      {over && (
        <div className={styles.over}>
          <Icon name={closed ? "ban" : "upload"} size={28} />
          {closed ?? `松开后上传到 ${folder}`}
        </div>
      )}
    </section>
  );
}
