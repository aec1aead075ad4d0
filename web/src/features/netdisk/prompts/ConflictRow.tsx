// One file that is there already, beside the one that would take its place: sizes and times tell which is the newer.
import { useQuery } from "@tanstack/react-query";
import { Checkbox } from "antd";
import touch from "@/shared/form/TouchChoice.module.css";
import { formatSize } from "@/shared/lib/numbers";
import { fileTime, fullTime } from "@/shared/lib/time";
import { FileName } from "@/shared/ui/FileName";
import { nameOf, shownName } from "../disk-paths";
import { factsQuery } from "../search/facts";
import type { Conflict } from "../uploads/queue";
import styles from "./ReplacePrompt.module.css";

interface ConflictRowProps {
  host: string;
  conflict: Conflict;
  /** Nothing where there is nothing to choose. */
  chosen: boolean | undefined;
  onToggle: () => void;
}

export function ConflictRow({ host, conflict, chosen, onToggle }: ConflictRowProps) {
  const { path, size, modified, existing } = conflict;
  const asked = useQuery({ ...factsQuery(host, path), enabled: existing === null }).data;
  const there = existing ?? asked;
  const name = shownName(nameOf(path));
  const sent = modified > 0 ? new Date(modified).toISOString() : "";
  const newer = there && sent !== "" && Date.parse(there.modified) < modified;
  return (
    <li className={styles.row}>
      {chosen !== undefined && (
        <Checkbox
          className={touch.choice ?? ""}
          checked={chosen}
          aria-label={`选择 ${name}`}
          onChange={onToggle}
        />
      )}
      <div className={styles.file}>
        <FileName name={name} className={styles.name} />
        <dl className={styles.facts}>
          <dt>原有</dt>
          <dd>{there ? <Facts size={there.size} modified={there.modified} /> : "…"}</dd>
          <dt>上传</dt>
          <dd>
            <Facts size={size} modified={sent} />
            {newer && <span className={styles.newer}>较新</span>}
          </dd>
        </dl>
      </div>
    </li>
  );
}

function Facts({ size, modified }: { size: number; modified: string }) {
  return (
    <>
      {formatSize(size)}
      {modified !== "" && (
        <>
          {" · "}
          <time dateTime={modified} title={fullTime(modified)}>
            {fileTime(modified)}
          </time>
        </>
      )}
    </>
  );
}
