// The thumbnail of a dataset from the storage host; without one, the icon of datasets.
import { useQuery } from "@tanstack/react-query";
import { pictureQuery } from "@/shared/api/pictures";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { Icon } from "@/shared/theme/Icon";
import { useObjectUrl } from "@/shared/ui/use-object-url";
import type { Dataset } from "./api";
import styles from "./Cover.module.css";

type Covered = Pick<Dataset, "path" | "cover" | "counted" | "changed" | "state">;

export function Cover({ dataset: { path, cover, counted, changed, state } }: { dataset: Covered }) {
  const host = useQuery(publicSettingsQuery).data?.storageHost ?? "";
  const picture = useQuery({
    // After a new count the file may have changed.
    ...pictureQuery(host, "thumb", { path: `${path}/${cover}`, modified: counted ?? changed }),
    enabled: host !== "" && cover !== "" && state === "ready",
  });
  const url = useObjectUrl(picture.data);
  return (
    <span className={styles.cover} aria-hidden="true">
      {url ? <img src={url} alt="" /> : <Icon name="dataset" size={32} />}
    </span>
  );
}
