// 服务器列表: servers and their free cards.
import { Flex, Switch } from "antd";
import type { ServerView } from "@/shared/compute/api";
import { GpuLegend } from "@/shared/compute/GpuSquares";
import { CreateLink, MyInstances } from "@/shared/compute/MyInstances";
import { useListParams } from "@/shared/list/use-list-params";
import { DataTable } from "@/shared/table/DataTable";
import { FilterSelect } from "@/shared/table/FilterSelect";
import { PageHeader } from "@/shared/ui/PageHeader";
import { UpdatedAgo } from "@/shared/ui/UpdatedAgo";
import { usePhone } from "@/shared/ui/usePhone";
import { ServerCard, serverColumns } from "./ServerCells";
import styles from "./ServersPage.module.css";
import { serverExpansion } from "./server-expansion";
import { type Filter, modelsOf } from "./server-list";
import { useServerRows } from "./useServerRows";

export default function ServersPage() {
  const list = useListParams<Filter>({ sort: "name", order: "asc", filters: ["state", "model", "free"] });
  const { all, counts, source, filters, updated } = useServerRows(list);
  const phone = usePhone();

  return (
    <Flex vertical gap={phone ? 12 : 16}>
      <div>
        <PageHeader
          title="服务器列表"
          meta={
            counts && (
              <span className={styles.meta}>
                {`${all.length} 台 · ${counts.gpus} 张卡 · 空闲 ${counts.free}`}
                <UpdatedAgo at={updated} />
                {!phone && <GpuLegend />}
              </span>
            )
          }
          actions={<CreateLink />}
        />
        <DataTable<ServerView>
          id="servers"
          label="服务器列表"
          unit="台"
          rowKey={(server) => server.id}
          rowHeight={52}
          expansion={serverExpansion}
          columns={serverColumns}
          source={source}
          list={list}
          card={(server) => <ServerCard server={server} />}
          filters={{
            ...filters,
            children: (
              <>
                <FilterSelect
                  label="卡型号"
                  width={144}
                  value={list.filters.model}
                  options={modelsOf(all)}
                  onChange={(model) => list.setFilters({ model })}
                />
                <Flex gap={6} align="center" component="label">
                  <Switch
                    aria-label="只看有空闲卡"
                    checked={list.filters.free === "true"}
                    onChange={(on) => list.setFilters({ free: on ? "true" : undefined })}
                  />
                  只看有空闲卡
                </Flex>
              </>
            ),
          }}
          empty={{
            icon: "server",
            text: "还没有可用的服务器",
            note: "服务器由管理员添加并分配；分配给你之后会显示在这里",
          }}
        />
        {phone && (
          <div className={styles.legend}>
            <GpuLegend />
          </div>
        )}
      </div>
      <MyInstances />
    </Flex>
  );
}
