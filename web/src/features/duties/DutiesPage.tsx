// 后台任务: the platform's duties, their outcomes, and whether its clock is trusted.
import { useQuery } from "@tanstack/react-query";
import { App, Button, Flex } from "antd";
import { clockQuery } from "@/shared/clock/api";
import { useListParams } from "@/shared/list/use-list-params";
import { DataTable } from "@/shared/table/DataTable";
import { PageHeader } from "@/shared/ui/PageHeader";
import { usePhone } from "@/shared/ui/usePhone";
import { type DutyView, dutiesQuery, useRunDuty } from "./api";
import { ClockCard } from "./ClockCard";
import { DutyCard, dutyColumns } from "./DutyCells";
import { type DutyRow, type Filter, failedOf, isShared, rowsOf, sorted } from "./rows";
import { whyNot } from "./status";
import { platformTime } from "./words";

/** Interval on this page, where the user waits for the clock to be right again. */
const clockMs = 10_000;

export default function DutiesPage() {
  const phone = usePhone();
  const list = useListParams<Filter>({ sort: "title", order: "asc", size: 100, filters: ["state"] });
  const clock = useQuery({ ...clockQuery, refetchInterval: clockMs });
  const { data, error, isPending, dataUpdatedAt, refetch } = useQuery(dutiesQuery);
  const trusted = clock.data?.trusted;
  const all = data?.items ?? [];
  const failed = failedOf(all, trusted);
  const shown = sorted(list.filters.state === "failed" ? failed : all, list);
  const now = platformTime(dataUpdatedAt, clock.data?.now, clock.dataUpdatedAt);
  const from = (list.page - 1) * list.size;
  const shared = isShared(all);
  const rows = rowsOf(shown.slice(from, from + list.size), { trusted, shared, now });
  const meta = [
    `共 ${all.length} 项`,
    failed.length > 0 && `${failed.length} 项失败`,
    shared && data?.leader && `主平台 ${data.leader}`,
  ];

  const action = ({ duty, first }: DutyRow) =>
    first && <RunButton duty={duty} reason={whyNot(duty, trusted)} large={phone} />;
  return (
    <>
      <PageHeader title="后台任务" meta={data && meta.filter(Boolean).join(" · ")} />
      <Flex vertical gap={phone ? 12 : 16}>
        <ClockCard clock={clock} />
        <DataTable<DutyRow>
          id="duties"
          label="后台任务"
          unit="项"
          rowHeight={52}
          rowKey={({ key }) => key}
          columns={[
            ...dutyColumns,
            { key: "actions", title: "操作", align: "right", always: true, render: action },
          ]}
          source={{
            data: data && { items: rows, total: shown.length },
            error,
            // It refreshes itself all the time: only the first load shows a sign.
            fetching: isPending,
            onRetry: () => void refetch(),
          }}
          list={list}
          card={(row) => <DutyCard row={row} action={action(row)} />}
          filters={{
            states: {
              label: "状态",
              value: list.filters.state ?? "all",
              options: [
                { value: "all", label: "全部", count: all.length },
                { value: "failed", label: "失败", count: failed.length },
              ],
              onChange: (state) => list.setFilters({ state: state === "all" ? undefined : state }),
            },
            active: list.active,
            onReset: list.reset,
          }}
          empty={{ icon: "clock", text: "没有后台任务" }}
        />
      </Flex>
    </>
  );
}

interface RunButtonProps {
  duty: DutyView;
  /** Why it cannot be run now. */
  reason: string | undefined;
  large: boolean;
}

function RunButton({ duty: { name, title }, reason, large }: RunButtonProps) {
  const { message } = App.useApp();
  const run = useRunDuty();
  return (
    <Button
      type={large ? "default" : "text"}
      size={large ? "medium" : "small"}
      disabled={reason !== undefined}
      title={reason}
      loading={run.isPending}
      aria-label={`立即运行 ${title}`}
      onClick={() =>
        run.mutate(name, {
          onSuccess: () => message.success(`已开始运行：${title}`, 1.5),
          onError: (error) => message.error(error.message, 2),
        })
      }
    >
      立即运行
    </Button>
  );
}
