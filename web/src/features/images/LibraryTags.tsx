// The other tags of a repository of the public library.
import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { libraryTagsQuery } from "@/shared/images/api";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import styles from "./ImageInfo.module.css";
import { infoLink } from "./links";

export function LibraryTags({ repository, tag }: { repository: string; tag: string }) {
  const { data, error, refetch } = useQuery(libraryTagsQuery(repository));
  const more = data ? data.total - data.items.length : 0;
  return (
    <Panel title={data ? `标签（${data.total}）` : "标签"} padded>
      {!data && error && <ErrorPanel title="标签没有取到" error={error} onRetry={() => void refetch()} />}
      {!data && !error && <TableSkeleton rows={2} rowHeight={24} />}
      <div className={styles.tags}>
        {data?.items.map(({ tag: one }) => (
          <Link
            key={one}
            to={infoLink({ image: `${repository}:${one}` })}
            aria-current={one === tag ? "page" : undefined}
          >
            {one}
          </Link>
        ))}
        {more > 0 && <span className={styles.none}>还有 {more} 个较早的标签</span>}
      </div>
    </Panel>
  );
}
