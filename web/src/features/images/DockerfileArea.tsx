// The editor of a Dockerfile as a field of a form. Its script is loaded on demand.
import { useEffect, useEffectEvent, useRef } from "react";
import styles from "./BuildDesk.module.css";

interface DockerfileAreaProps {
  /** Given by the form. */
  value?: string;
  onChange?: (text: string) => void;
}

export function DockerfileArea({ value = "", onChange }: DockerfileAreaProps) {
  const place = useRef<HTMLDivElement>(null);
  const report = useEffectEvent((text: string) => onChange?.(text));
  const first = useEffectEvent(() => value);

  useEffect(() => {
    let gone = false;
    let remove = () => {};
    void import("@/shared/editor/code-area").then(({ makeArea }) => {
      const parent = place.current;
      if (gone || !parent) return;
      const view = makeArea({
        parent,
        text: first(),
        name: "Dockerfile",
        readOnly: false,
        onChange: ({ state }) => report(state.doc.toString()),
      });
      remove = () => view.destroy();
    });
    return () => {
      gone = true;
      remove();
    };
  }, []);

  return <div ref={place} className={styles.area} />;
}
