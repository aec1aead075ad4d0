// 登录日志: sign-in attempts, their origin and result.
import { useQuery } from "@tanstack/react-query";
import { browserName } from "@/shared/lib/browser-name";
import { ExportButton } from "@/shared/list/ExportButton";
import { listSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { DataTable } from "@/shared/table/DataTable";
import type { DataColumn } from "@/shared/table/data-table";
import { PageHeader } from "@/shared/ui/PageHeader";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import { exportLoginLogs, type LoginFilter, type LoginLog, loginFilters, loginLogsQuery } from "./api";
import { LogCard } from "./LogCard";
import { LogFilters } from "./LogFilters";
import { loginAction, loginResult, loginResultOptions } from "./status";
import { withTimes } from "./times";

function LoginResult({ entry }: { entry: LoginLog }) {
  const { icon, tone, label } = loginResult(entry.result);
  return (
    <StateText icon={icon} tone={tone}>
      {withTimes(label, entry.count)}
    </StateText>
  );
}

const columns: readonly DataColumn<LoginLog>[] = [
  {
    key: "time",
    title: "时间",
    sort: "time",
    always: true,
    render: ({ time }) => <TimeText time={time} full />,
  },
  { key: "username", title: "用户名", always: true, render: ({ username }) => username },
  { key: "action", title: "事件", render: ({ action }) => loginAction(action) },
  { key: "result", title: "结果", render: (entry) => <LoginResult entry={entry} /> },
  { key: "ip", title: "IP 地址", render: ({ ip }) => ip },
  {
    key: "agent",
    title: "浏览器",
    render: ({ userAgent }) => <span title={userAgent}>{browserName(userAgent)}</span>,
  },
];

export default function LoginLogPage() {
  const list = useListParams<LoginFilter>({ sort: "time", order: "desc", filters: loginFilters });
  const logs = useQuery(loginLogsQuery(list));
  return (
    <>
      <PageHeader
        title="登录日志"
        meta={logs.data && `共 ${logs.data.total.toLocaleString("zh-CN")} 条`}
        actions={<ExportButton name="登录日志" load={() => exportLoginLogs(list)} />}
      />
      <DataTable<LoginLog>
        id="login_log"
        label="登录日志"
        unit="条"
        rowHeight={40}
        rowKey={(entry) => entry.id}
        columns={columns}
        source={listSource(logs)}
        list={list}
        card={(entry) => (
          <LogCard
            title={entry.username}
            time={entry.time}
            state={<LoginResult entry={entry} />}
            facts={[loginAction(entry.action), entry.ip, browserName(entry.userAgent)]}
          />
        )}
        filters={{
          search: { placeholder: "搜索登录记录", value: list.q, onSearch: list.setSearch },
          children: <LogFilters list={list} results={loginResultOptions} />,
          active: list.active,
          onReset: list.reset,
        }}
        empty={{ icon: "log", text: "还没有登录记录" }}
      />
    </>
  );
}
