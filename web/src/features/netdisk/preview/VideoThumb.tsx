// A frame of a film for its card, by the browser's own player, which reads no more than it needs for that. Until it is
// there, and for what the browser can't decode, the icon.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Icon } from "@/shared/theme/Icon";
import { rawAddress } from "../api";
import { useDisk } from "../disk-context";
import { durationText } from "./duration";
import styles from "./Thumb.module.css";

/** Seconds from the beginning, where many films are still black. */
const frameAt = 1;

export function VideoThumb({ path, icon }: { path: string; icon: ReactNode }) {
  const { host } = useDisk();
  const [state, setState] = useState<"loading" | "shown" | "broken">("loading");
  const [duration, setDuration] = useState(0);
  const { data } = useQuery({
    queryKey: ["netdisk-media", host, path, "frame"],
    queryFn: () => rawAddress(host, path, { inline: "true" }),
    // The ticket in it is for this look.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  if (!data || state === "broken") return icon;
  return (
    <>
      {state === "loading" && icon}
      <video
        className={state === "shown" ? styles.thumb : styles.waiting}
        src={`${data.href}#t=${frameAt}`}
        preload="metadata"
        muted
        playsInline
        tabIndex={-1}
        aria-hidden="true"
        onLoadedMetadata={({ currentTarget }) => setDuration(currentTarget.duration)}
        onLoadedData={() => setState("shown")}
        onError={() => setState("broken")}
      />
      {state === "shown" && (
        <>
          <span className={styles.play}>
            <Icon name="start" size={16} />
          </span>
          {duration > 0 && <span className={styles.duration}>{durationText(duration)}</span>}
        </>
      )}
    </>
  );
}
