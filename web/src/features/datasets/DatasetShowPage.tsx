// 数据集列表: the datasets that the user may see, as cards.
import { useQuery } from "@tanstack/react-query";
import { Button, Checkbox, ConfigProvider, Select } from "antd";
import { useNavigate } from "react-router";
import { visibilityOptions } from "@/shared/images/visibility";
import { type ListState, useListParams } from "@/shared/list/use-list-params";
import { usePanel } from "@/shared/list/use-panel";
import { FilterBar } from "@/shared/table/FilterBar";
import { FilterSelect } from "@/shared/table/FilterSelect";
import { TableFoot } from "@/shared/table/TableFoot";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { usePhone } from "@/shared/ui/usePhone";
import { datasetsQuery, labelsQuery } from "./api";
import { DatasetCard } from "./DatasetCard";
import styles from "./DatasetShowPage.module.css";
import { infoLink } from "./links";
import { NewDatasetDrawer } from "./NewDatasetDrawer";
import { typeOptions } from "./words";

const filters = ["type", "visibility", "label", "mine"] as const;
const panels = ["new"] as const;
type Filter = (typeof filters)[number];

const orders = [
  { value: "changed desc", label: "最近更新" },
  { value: "created desc", label: "最新创建" },
  { value: "uses desc", label: "使用最多" },
  { value: "name asc", label: "名称" },
  { value: "size desc", label: "最大" },
  { value: "size asc", label: "最小" },
];

export default function DatasetShowPage() {
  const list = useListParams({ sort: "changed", order: "desc", filters });
  const panel = usePanel(panels);
  const navigate = useNavigate();
  const phone = usePhone();
  const datasets = useQuery(datasetsQuery(list));
  const { data, error, isFetching } = datasets;
  const retry = () => void datasets.refetch();
  const create = (
    <Button type="primary" icon={<Icon name="plus" size={14} />} onClick={() => panel.show("new")}>
      新建数据集
    </Button>
  );
  return (
    <>
      <PageHeader title="数据集列表" meta={data && `共 ${data.total} 个数据集`} actions={create} />
      <ConfigProvider componentSize={phone ? "medium" : undefined}>
        <Panel label="数据集列表" refreshing={isFetching && data !== undefined}>
          <Filters list={list} phone={phone} onRefresh={retry} />
          {!data && error && <ErrorPanel title="数据集列表没有取到" error={error} onRetry={retry} />}
          {!data && !error && <TableSkeleton rows={6} rowHeight={96} />}
          {data && error && <RefreshFailed error={error} onRetry={retry} />}
          {data && data.items.length === 0 && <None total={data.total} list={list} create={create} />}
          {data && data.items.length > 0 && (
            <ul className={styles.cards} aria-label="数据集">
              {data.items.map((dataset) => (
                <DatasetCard key={dataset.id} dataset={dataset} />
              ))}
            </ul>
          )}
          {data && <TableFoot total={data.total} unit="个" list={list} />}
        </Panel>
      </ConfigProvider>
      <NewDatasetDrawer
        key={panel.opening}
        open={panel.name === "new"}
        onClose={panel.close}
        onCreated={({ id }) => void navigate(infoLink(id))}
      />
    </>
  );
}

interface FiltersProps {
  list: ListState<Filter>;
  phone: boolean;
  onRefresh: () => void;
}

function Filters({ list, phone, onRefresh }: FiltersProps) {
  const labels = useQuery(labelsQuery);
  const order = (
    <Select
      aria-label="排序"
      value={`${list.sort} ${list.order}`}
      options={orders}
      style={{ width: phone ? "100%" : 112 }}
      onChange={(value) => {
        const [sort = list.sort, direction] = value.split(" ");
        list.setOrder(sort, direction === "asc" ? "asc" : "desc");
      }}
    />
  );
  return (
    <FilterBar
      search={{ placeholder: "名称、说明、所有者", value: list.q, onSearch: list.setSearch }}
      active={list.active}
      onReset={list.reset}
      tools={
        <>
          {!phone && order}
          <Button
            type="text"
            aria-label="刷新"
            title="刷新"
            icon={<Icon name="refresh" />}
            onClick={onRefresh}
          />
        </>
      }
      sheetExtra={order}
    >
      <FilterSelect
        label="类型"
        value={list.filters.type}
        options={typeOptions}
        onChange={(type) => list.setFilters({ type })}
      />
      <FilterSelect
        label="标签"
        value={list.filters.label}
        loading={labels.isLoading}
        options={(labels.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(label) => list.setFilters({ label })}
        width={136}
      />
      <FilterSelect
        label="可见范围"
        value={list.filters.visibility}
        options={visibilityOptions}
        onChange={(visibility) => list.setFilters({ visibility })}
      />
      <Checkbox
        checked={list.filters.mine !== undefined}
        onChange={({ target }) => list.setFilters({ mine: target.checked ? "true" : undefined })}
      >
        只看我的
      </Checkbox>
    </FilterBar>
  );
}

function None({ total, list, create }: { total: number; list: ListState<Filter>; create: React.ReactNode }) {
  if (total > 0)
    return (
      <EmptyPanel
        icon="dataset"
        text="这一页没有内容了"
        action={<Button onClick={() => list.setPage(1)}>回到第 1 页</Button>}
      />
    );
  if (list.active > 0 || list.q)
    return (
      <EmptyPanel
        icon="search"
        text="没有符合条件的结果"
        action={<Button onClick={list.reset}>清除筛选</Button>}
      />
    );
  return (
    <EmptyPanel
      icon="dataset"
      text="还没有数据集"
      note="把网盘里的文件夹做成数据集，实例里就能在 /datasets 下只读使用"
      action={create}
    />
  );
}
