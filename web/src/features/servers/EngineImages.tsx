// 镜像: the images on the engine and the containers that use them; for administrators.
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useState } from "react";
import type { ServerView } from "@/shared/compute/api";
import { formatSize } from "@/shared/lib/numbers";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { TimeText } from "@/shared/ui/TimeText";
import { type EngineImage, engineImagesQuery } from "./api";
import styles from "./EngineImages.module.css";
import table from "./GpuTable.module.css";

/** The largest ones, which matter for freeing space. */
const SHOWN = 10;

export function EngineImages({ server: { id, name, state } }: { server: ServerView }) {
  const images = useQuery({ ...engineImagesQuery(id), enabled: state === "online" });
  const [all, setAll] = useState(false);
  const { data, error, isFetching } = images;
  const retry = () => void images.refetch();
  const items = data?.items ?? [];
  const refresh = (
    <Button
      type="text"
      aria-label="刷新镜像"
      title="刷新"
      disabled={state !== "online"}
      icon={<Icon name="refresh" />}
      onClick={retry}
    />
  );
  const title = (
    <>镜像 {data && <span className={table.count}>{items.length} 个，大小含与其他镜像共用的层</span>}</>
  );
  return (
    <Panel title={title} extra={refresh} refreshing={isFetching && data !== undefined}>
      {!data && state !== "online" && <EmptyPanel icon="unlink" text={`${name} 没有连接，看不到它的镜像`} />}
      {!data && state === "online" && error && (
        <ErrorPanel title="镜像没有取到" error={error} onRetry={retry} />
      )}
      {!data && state === "online" && !error && <TableSkeleton rows={4} rowHeight={40} />}
      {data && error && <RefreshFailed error={error} onRetry={retry} />}
      {data && items.length === 0 && <EmptyPanel icon="layers" text={`${name} 上还没有镜像`} />}
      {items.length > 0 && (
        <div className={table.scroll}>
          <table className={table.table} aria-label={`${name} 的镜像`}>
            <thead>
              <tr>
                <th>名称</th>
                <th className={table.right}>大小</th>
                <th>创建时间</th>
                <th>使用它的容器</th>
              </tr>
            </thead>
            <tbody>
              {items.slice(0, all ? undefined : SHOWN).map((image) => (
                <Row key={image.id} image={image} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {items.length > SHOWN && (
        <div className={styles.foot}>
          <Button type="link" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? `只看最大的 ${SHOWN} 个` : `全部 ${items.length} 个镜像`}
          </Button>
        </div>
      )}
    </Panel>
  );
}

function Row({ image: { id, names, size, created, containers } }: { image: EngineImage }) {
  return (
    <tr>
      <td className={styles.names}>
        {names.length === 0 && <span className={styles.none}>没有名称，是更新或构建留下的</span>}
        {names.map((name) => (
          <span key={name}>{name}</span>
        ))}
        <small title={id}>{id.slice(0, 19)}…</small>
      </td>
      <td data-label="大小" className={table.right}>
        {formatSize(size)}
      </td>
      <td>
        <TimeText time={created} />
      </td>
      <td className={styles.names}>
        {containers.length === 0 && <span className={styles.none}>没有</span>}
        {containers.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </td>
    </tr>
  );
}
