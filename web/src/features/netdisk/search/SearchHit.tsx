// One hit: its name, the folder that it lies in, and, once it is in sight, its size and time. Searches answer with paths
// only, so each of these is asked for by itself.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { formatSize } from "@/shared/lib/numbers";
import { fileTime, fullTime } from "@/shared/lib/time";
import { Icon } from "@/shared/theme/Icon";
import { FileName } from "@/shared/ui/FileName";
import { watchSight } from "@/shared/ui/watch-sight";
import { useDisk } from "../disk-context";
import { nameOf, shownName } from "../disk-paths";
import { iconOfName } from "../kinds";
import { factsQuery } from "./facts";
import styles from "./Search.module.css";
import type { Hit } from "./useSearch";

/** Where a hit lies below the folder that was searched; nothing for the folder itself. */
const folderOf = (path: string) => path.replace(/[^/]*\/?$/, "");

interface SearchHitProps {
  hit: Hit;
  /** The searched folder. */
  folder: string;
}

export function SearchHit({ hit: { path, url, dir }, folder }: SearchHitProps) {
  const { host } = useDisk();
  const line = useRef<HTMLLIElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const element = line.current;
    if (!element || seen) return;
    return watchSight(element, (inSight) => inSight && setSeen(true));
  }, [seen]);
  const { data } = useQuery({ ...factsQuery(host, folder + path), enabled: seen });
  const place = folderOf(path);
  return (
    <li ref={line}>
      <Link to={`/netdisk${url}`} className={styles.hit}>
        <Icon name={dir ? "folder" : iconOfName(path)} className={dir ? styles.folder : undefined} />
        <FileName name={shownName(nameOf(path))} className={styles.name} />
        <span className={styles.path}>{shownName(place)}</span>
        <span className={styles.size}>{data && !dir ? formatSize(data.size) : ""}</span>
        <span className={styles.time}>
          {data && (
            <time dateTime={data.modified} title={fullTime(data.modified)}>
              {fileTime(data.modified)}
            </time>
          )}
        </span>
      </Link>
    </li>
  );
}
