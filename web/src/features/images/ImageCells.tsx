// How an image looks in the table's columns and on a phone's card.
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Image } from "@/shared/images/api";
import { visibilityLooks } from "@/shared/images/visibility";
import { formatSize } from "@/shared/lib/numbers";
import type { DataColumn } from "@/shared/table/data-table";
import { Icon } from "@/shared/theme/Icon";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./ImageCells.module.css";
import { infoLink } from "./links";

function ImageName({ image }: { image: Image }) {
  return (
    <span className={styles.name}>
      <Link to={infoLink({ id: image.id })}>{image.image}</Link>
      {image.description && <small>{image.description}</small>}
    </span>
  );
}

function Seen({ image: { visibility } }: { image: Image }) {
  const { icon, label, note } = visibilityLooks[visibility];
  return (
    <span className={styles.seen} title={note}>
      <Icon name={icon} size={14} /> {label}
    </span>
  );
}

/** gpu-a01、gpu-a02、镜像仓库 */
export const placesText = ({ where }: Image) =>
  where.map(({ server }) => server?.name ?? "镜像仓库").join("、") || "—";

export const imageColumns: readonly DataColumn<Image>[] = [
  {
    key: "name",
    title: "镜像",
    sort: "repository",
    always: true,
    render: (image) => <ImageName image={image} />,
  },
  { key: "size", title: "大小", sort: "size", align: "right", render: ({ size }) => formatSize(size) },
  { key: "layers", title: "层", align: "right", optional: true, render: ({ layers }) => layers },
  { key: "owner", title: "所有者", sort: "username", render: ({ owner }) => owner.username },
  { key: "visibility", title: "可见范围", render: (image) => <Seen image={image} /> },
  { key: "where", title: "位置", wide: true, render: placesText },
  {
    key: "created",
    title: "创建时间",
    sort: "created",
    render: ({ created }) => <TimeText time={created} />,
  },
];

export function ImageCard({ image, actions }: { image: Image; actions: ReactNode }) {
  return (
    <div>
      <div className={styles.cardHead}>
        <ImageName image={image} />
        {actions}
      </div>
      <div className={styles.facts}>
        {formatSize(image.size)} · {image.owner.username} · <Seen image={image} /> ·{" "}
        <TimeText time={image.created} />
      </div>
    </div>
  );
}
