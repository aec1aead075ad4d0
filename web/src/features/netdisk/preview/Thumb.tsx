// The thumbnail of a card; until it is loaded, and without one, the icon of its kind.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { pictureQuery } from "@/shared/api/pictures";
import { Icon } from "@/shared/theme/Icon";
import { useObjectUrl } from "@/shared/ui/use-object-url";
import { diskFeaturesQuery } from "../account/api";
import type { Item } from "../api";
import { useDisk } from "../disk-context";
import { kindOf } from "../kinds";
import { isReducible, isThumbable } from "./picture";
import styles from "./Thumb.module.css";
import { VideoThumb } from "./VideoThumb";

export function Thumb({ item }: { item: Item }) {
  const { host, viewer } = useDisk();
  const [broken, setBroken] = useState(false);
  const features = useQuery(diskFeaturesQuery(host)).data;
  // The server's small ones are squares out of the middle: of a curve or a matrix the half would be missing.
  const whole = features?.resizePreview === true && isReducible(item);
  const { data } = useQuery({
    ...pictureQuery(host, whole ? "big" : "thumb", item),
    enabled: viewer.perm.download && isThumbable(item) && features?.thumbnails === true,
  });
  const url = useObjectUrl(data);
  if (url && !broken)
    return (
      <img src={url} alt="" className={styles.thumb} draggable={false} onError={() => setBroken(true)} />
    );
  const icon = <Icon name={kindOf(item).icon} size={40} />;
  if (item.type === "video" && viewer.perm.download && features?.thumbnails)
    return <VideoThumb path={item.path} icon={icon} />;
  return icon;
}
