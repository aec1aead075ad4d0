// An image, as large as the page, to be zoomed and moved.
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useRef, useState } from "react";
import { pictureQuery } from "@/shared/api/pictures";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { useObjectUrl } from "@/shared/ui/use-object-url";
import type { Resource } from "../api";
import { useDisk } from "../disk-context";
import { shownName } from "../disk-paths";
import styles from "./ImageView.module.css";
import { isReducible } from "./picture";
import { rawQuery } from "./raw";
import { useZoom } from "./useZoom";
import { largest, smallest } from "./zoom";

interface ImageViewProps {
  file: Resource;
  onSwipe: (direction: "next" | "previous") => void;
}

export function ImageView({ file, onSwipe }: ImageViewProps) {
  const { host } = useDisk();
  const [full, setFull] = useState(false);
  const reducible = isReducible(file);
  const reduced = useQuery({ ...pictureQuery(host, "big", file), enabled: reducible && !full });
  // Where the server cannot reduce it, the original is shown.
  const asItIs = full || !reducible || reduced.isError;
  const raw = useQuery({ ...rawQuery(host, file), enabled: asItIs });
  const { data, error, refetch } = asItIs ? raw : reduced;
  const url = useObjectUrl(data);
  const image = useRef<HTMLImageElement>(null);
  const page = useRef<HTMLDivElement>(null);
  /** The address that the browser could make no picture of. */
  const [broken, setBroken] = useState<string | null>(null);
  const { view, reset, zoomBy, handlers } = useZoom({ image, page, onSwipe });
  const { scale, place } = view;
  return (
    <div className={styles.view}>
      <div ref={page} className={scale > 1 ? `${styles.page} ${styles.movable}` : styles.page} {...handlers}>
        {error && <ErrorPanel title="图片没有打开" error={error} onRetry={() => void refetch()} />}
        {url && url === broken && (
          <EmptyPanel
            icon="fault"
            text="浏览器显示不了这张图片"
            note="文件可能是空的或已损坏，可以下载后用别的程序打开"
          />
        )}
        {url && url !== broken && (
          <img
            ref={image}
            className={styles.image}
            src={url}
            alt={shownName(file.name)}
            draggable={false}
            onError={() => setBroken(url)}
            style={{ transform: `translate(${place.x}px, ${place.y}px) scale(${scale})` }}
          />
        )}
        {!url && !error && <div className={styles.wait} role="progressbar" aria-label="正在打开图片" />}
      </div>
      <section className={styles.zoom} aria-label="缩放">
        {reducible && !reduced.isError && (
          <Button type="text" aria-pressed={full} onClick={() => setFull(!full)}>
            原图
          </Button>
        )}
        <Button
          type="text"
          icon={<Icon name="minus" size={14} />}
          aria-label="缩小"
          title="缩小"
          disabled={scale <= smallest}
          onClick={() => zoomBy(-1)}
        />
        <Button type="text" aria-label={`缩放 ${scale * 100}%，还原`} title="还原" onClick={reset}>
          {scale * 100}%
        </Button>
        <Button
          type="text"
          icon={<Icon name="plus" size={14} />}
          aria-label="放大"
          title="放大"
          disabled={scale >= largest}
          onClick={() => zoomBy(1)}
        />
      </section>
    </div>
  );
}
