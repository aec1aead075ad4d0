// 实例管理: all instances, for administrators.
import { useQuery } from "@tanstack/react-query";
import { Flex, Switch } from "antd";
import { useState } from "react";
import {
  allServersQuery,
  type InstanceFilter,
  type InstanceView,
  instancesQuery,
} from "@/shared/compute/api";
import { InstanceBatch } from "@/shared/compute/InstanceBatch";
import { isInstanceState, stateOptions } from "@/shared/compute/instance-state";
import { PersonSelect } from "@/shared/list/PersonSelect";
import { type ListParams, useListParams } from "@/shared/list/use-list-params";
import { DataTable } from "@/shared/table/DataTable";
import { FilterSelect } from "@/shared/table/FilterSelect";
import { PageHeader } from "@/shared/ui/PageHeader";
import { usePhone } from "@/shared/ui/usePhone";
import { InstanceCard, instanceColumns } from "./InstanceCells";

const filters = ["state", "server", "user", "released"] as const;
type Filter = (typeof filters)[number];

function queryOf({ page, size, sort, order, q, filters }: ListParams<Filter>): InstanceFilter {
  return {
    page,
    size,
    sort,
    order,
    ...(q && { q }),
    ...(isInstanceState(filters.state) && { state: filters.state }),
    ...(filters.server && { server: filters.server }),
    ...(filters.user && { user: Number(filters.user) }),
    ...(filters.released && { released: true }),
  };
}

export default function ManagePage() {
  const list = useListParams<Filter>({ sort: "created", order: "desc", filters });
  const instances = useQuery(instancesQuery(queryOf(list)));
  const servers = useQuery(allServersQuery);
  const [selected, setSelected] = useState<ReadonlyMap<string, InstanceView>>(new Map());
  const phone = usePhone();
  const rows = instances.data?.items ?? [];

  function select(keys: readonly (string | number)[]) {
    const known = new Map([...selected, ...rows.map((one) => [one.id, one] as const)]);
    setSelected(new Map([...known].filter(([id]) => keys.includes(id))));
  }

  return (
    <>
      <PageHeader title="实例管理" meta={instances.data && `共 ${instances.data.total} 个`} />
      <DataTable<InstanceView>
        id="instances"
        label="实例列表"
        unit="个"
        rowKey={(instance) => instance.id}
        rowHeight={52}
        columns={instanceColumns}
        source={{
          data: instances.data,
          error: instances.error,
          // It refreshes itself all the time: only another page or filter is worth a sign.
          fetching: instances.isPlaceholderData,
          onRetry: () => void instances.refetch(),
        }}
        list={list}
        muted={({ state }) => state === "released"}
        card={(instance) => <InstanceCard instance={instance} />}
        selection={{
          keys: [...selected.keys()],
          onChange: select,
          unit: "个",
          nameOf: ({ name }) => name,
          actions: (
            <InstanceBatch
              // As they are now, where they are still on the page.
              instances={[...selected.values()].map((old) => rows.find(({ id }) => id === old.id) ?? old)}
              onDone={select}
            />
          ),
        }}
        filters={{
          search: { placeholder: "名称、编号、镜像", value: list.q, onSearch: list.setSearch },
          children: (
            <>
              <FilterSelect
                label="状态"
                value={list.filters.state}
                options={stateOptions}
                onChange={(state) => list.setFilters({ state })}
              />
              <FilterSelect
                label="服务器"
                width={144}
                value={list.filters.server}
                options={(servers.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
                loading={servers.isPending}
                onChange={(server) => list.setFilters({ server })}
              />
              <PersonSelect
                label="用户"
                width={phone ? "100%" : 144}
                value={Number(list.filters.user) || undefined}
                onChange={(user) => list.setFilters({ user: user?.toString() })}
              />
              <Flex gap={6} align="center" component="label">
                <Switch
                  aria-label="包括已释放"
                  checked={list.filters.released === "true"}
                  onChange={(on) => list.setFilters({ released: on ? "true" : undefined })}
                />
                包括已释放
              </Flex>
            </>
          ),
          active: list.active,
          onReset: list.reset,
        }}
        empty={{ icon: "server", text: "还没有实例", note: "用户创建的实例会显示在这里" }}
      />
    </>
  );
}
