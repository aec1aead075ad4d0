// The small picture of a card; until it is there, and where there is none, the icon of its kind.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { pictureQuery } from "@/shared/api/pictures";
import { Icon } from "@/shared/theme/Icon";
import { useObjectUrl } from "@/shared/ui/use-object-url";
import type { Item } from "../api";
import { useDisk } from "../disk-context";
import { kindOf } from "../kinds";
import { isThumbable } from "./picture";
import styles from "./Thumb.module.css";

/** Storage hosts that make no thumbnails: asked once, and not for every picture. */
const without = new Set<string>();

export function Thumb({ item }: { item: Item }) {
  const { host, viewer } = useDisk();
  const [broken, setBroken] = useState(false);
  const { data, error } = useQuery({
    ...pictureQuery(host, "thumb", item),
    enabled: viewer.perm.download && isThumbable(item) && !without.has(host),
  });
  if (error?.status === 404) without.add(host);
  const url = useObjectUrl(data);
  if (url && !broken)
    return (
      <img src={url} alt="" className={styles.thumb} draggable={false} onError={() => setBroken(true)} />
    );
  return <Icon name={kindOf(item).icon} size={40} />;
}
