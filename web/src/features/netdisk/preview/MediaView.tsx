// Sound and film in the browser's own player.
import { useRef } from "react";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import type { Resource } from "../api";
import { useDisk } from "../disk-context";
import { shownName } from "../disk-paths";
import styles from "./MediaView.module.css";
import { SubtitleTracks } from "./SubtitleTracks";
import { useMediaAddress } from "./useMediaAddress";

export function MediaView({ file }: { file: Resource }) {
  const { host } = useDisk();
  const player = useRef<HTMLVideoElement & HTMLAudioElement>(null);
  const { address, error, retry, unplayable, on } = useMediaAddress(host, file.path, player);
  const name = shownName(file.name);
  if (error) return <ErrorPanel title={`${name} 没有打开`} error={error} onRetry={retry} />;
  if (unplayable)
    return <EmptyPanel icon="fault" text="浏览器放不了这个文件" note="可以下载后用别的播放器打开" />;
  if (!address) return null;
  const shared = { ref: player, src: address, controls: true, autoPlay: false, "aria-label": name, ...on };
  return (
    <div className={styles.page}>
      {file.type === "audio" ? (
        <>
          <Icon name="fileAudio" size={48} className={styles.icon} />
          <audio {...shared} preload="metadata" className={styles.audio} />
        </>
      ) : (
        <video {...shared} preload="metadata" playsInline className={styles.video}>
          <SubtitleTracks file={file} />
        </video>
      )}
    </div>
  );
}
