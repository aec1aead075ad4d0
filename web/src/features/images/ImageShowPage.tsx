// 公共镜像库: the content of the registry at the public image URL, for all users' instances.
import { useQuery } from "@tanstack/react-query";
import { Button, Flex } from "antd";
import { libraryQuery, libraryUnset } from "@/shared/images/api";
import { LibraryUnset } from "@/shared/images/LibraryUnset";
import { useListParams } from "@/shared/list/use-list-params";
import { SearchInput } from "@/shared/table/SearchInput";
import { TableFoot } from "@/shared/table/TableFoot";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import styles from "./ImageShowPage.module.css";
import { LibraryCard } from "./LibraryCard";

export default function ImageShowPage() {
  const list = useListParams({ sort: "repository", order: "asc", size: 24 });
  const library = useQuery(libraryQuery(list));
  const { data, error, isFetching } = library;
  const retry = () => void library.refetch();
  const unset = error?.code === libraryUnset;
  return (
    <>
      <PageHeader title="公共镜像库" meta={data && `共 ${data.total} 个仓库`} />
      <Panel label="公共镜像库" refreshing={isFetching && data !== undefined}>
        {!unset && (
          <Flex gap={8} className={styles.bar}>
            <SearchInput placeholder="仓库名称" value={list.q} onSearch={list.setSearch} />
            <Button
              type="text"
              aria-label="刷新"
              title="刷新"
              icon={<Icon name="refresh" />}
              onClick={retry}
            />
          </Flex>
        )}
        {unset && <LibraryUnset words={error.message} />}
        {!data && error && !unset && <ErrorPanel title="公共镜像库没有取到" error={error} onRetry={retry} />}
        {!data && !error && <TableSkeleton rows={6} rowHeight={64} />}
        {data && error && !unset && <RefreshFailed error={error} onRetry={retry} />}
        {data && !unset && data.items.length === 0 && (
          <EmptyPanel
            icon={list.q ? "search" : "layers"}
            text={list.q ? "没有符合条件的结果" : "公共镜像库里还没有镜像"}
            action={list.q && <Button onClick={list.reset}>清除筛选</Button>}
          />
        )}
        {data && !unset && data.items.length > 0 && (
          <ul className={styles.cards} aria-label="镜像">
            {data.items.map((image) => (
              <LibraryCard key={image.repository} image={image} />
            ))}
          </ul>
        )}
        {data && !unset && <TableFoot total={data.total} unit="个" list={list} />}
      </Panel>
    </>
  );
}
