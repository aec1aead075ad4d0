// A repository of the public library: its newest tags, how large and how old the newest is, and an instance of it.
import { Button } from "antd";
import { Link, useNavigate } from "react-router";
import type { PublicImage } from "@/shared/images/api";
import { formatSize } from "@/shared/lib/numbers";
import { relativeTime } from "@/shared/lib/time";
import { CopyText } from "@/shared/ui/CopyText";
import styles from "./ImageShowPage.module.css";
import { createLink, infoLink } from "./links";

const shownTags = 5;

export function LibraryCard({ image }: { image: PublicImage }) {
  const { repository, image: name, tags, tag, size, created } = image;
  const navigate = useNavigate();
  return (
    <li className={styles.card}>
      {tag ? (
        <Link className={styles.name} to={infoLink({ image: `${repository}:${tag}` })}>
          {repository}
        </Link>
      ) : (
        <span className={styles.name}>{repository}</span>
      )}
      <div className={styles.facts}>
        {size != null && <span>{formatSize(size)}</span>}
        {created && (
          <time dateTime={created} title={created}>
            {relativeTime(created)}
          </time>
        )}
        <span>{tags.length} 个标签</span>
      </div>
      <div className={styles.tags}>
        {tags.slice(0, shownTags).map((one) => (
          <Link key={one} to={infoLink({ image: `${repository}:${one}` })} title={`${repository}:${one}`}>
            {one}
          </Link>
        ))}
        {tags.length > shownTags && <span>+ {tags.length - shownTags} 个</span>}
      </div>
      <div className={styles.actions}>
        <CopyText text={name} label={`复制 ${name}`} />
        <Button
          disabled={!tag}
          title={tag ? undefined : "这个仓库里没有镜像"}
          onClick={() => navigate(createLink(name))}
        >
          创建实例
        </Button>
      </div>
    </li>
  );
}
