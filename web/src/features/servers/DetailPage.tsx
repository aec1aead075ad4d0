// 服务器详情: its cards and their holders, its load, its processes, its instances, and its facts; for administrators also
// its images and its kernel's log.
import { useQuery } from "@tanstack/react-query";
import { Alert } from "antd";
import { useParams } from "react-router";
import { type InstanceView, instancesOnQuery, type ServerView, serverQuery } from "@/shared/compute/api";
import { DetailGap } from "@/shared/compute/DetailGap";
import { GpuCharts } from "@/shared/compute/GpuCharts";
import { freeOf } from "@/shared/compute/gpu-look";
import { InstancePanel } from "@/shared/compute/InstancePanel";
import { links } from "@/shared/compute/links";
import { SpanPicker, useSpan } from "@/shared/compute/SpanPicker";
import { drainText, serverLook } from "@/shared/compute/server-state";
import { modelsText } from "@/shared/compute/text";
import { LinkButton } from "@/shared/frame/LinkButton";
import { usePageTitle } from "@/shared/stores/page-title";
import { isAdmin, useSession } from "@/shared/stores/session";
import { Columns, Stack } from "@/shared/table/Columns";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { StateText } from "@/shared/ui/StateText";
import { CheckList } from "./CheckList";
import styles from "./DetailPage.module.css";
import { DrainActions } from "./DrainActions";
import { EngineImages } from "./EngineImages";
import { GpuTable } from "./GpuTable";
import { KernelLog } from "./KernelLog";
import { MachinePanel } from "./MachinePanel";
import { ProcessTable } from "./ProcessTable";
import { CreateHere } from "./ServerCells";
import { SystemFacts } from "./SystemFacts";

export default function DetailPage() {
  const { id = "" } = useParams();
  const server = useQuery(serverQuery(id));
  const { data, error } = server;
  usePageTitle(data?.name);
  const retry = () => void server.refetch();
  if (data)
    return (
      <>
        {error && <RefreshFailed error={error} onRetry={retry} />}
        <Detail server={data} />
      </>
    );
  return (
    <DetailGap
      title="服务器详情"
      error={error}
      onRetry={retry}
      missing={{ text: "没有这台服务器", note: "它已被移除，或者没有分配给你" }}
      failed="服务器没有取到"
    />
  );
}

function Detail({ server }: { server: ServerView }) {
  const { label, icon, tone, note } = serverLook(server);
  const { gpus, manage } = server;
  return (
    <>
      <PageHeader
        named
        title={server.name}
        meta={
          <span className={styles.meta}>
            <StateText icon={icon} tone={tone}>
              {label}
            </StateText>
            <span>
              {[server.publicHost, gpus.length > 0 && `${modelsText(gpus)}，空闲 ${freeOf(server).length}`]
                .filter(Boolean)
                .join(" · ")}
            </span>
          </span>
        }
        actions={
          <>
            {manage && <DrainActions server={server} />}
            {manage && <LinkButton to={`${links.manage}?panel=edit&id=${server.id}`}>编辑</LinkButton>}
            <CreateHere server={server} />
          </>
        }
      />
      <Stack>
        {server.state === "unreachable" && (
          <Alert
            type="warning"
            showIcon
            title={`服务器失联：${manage?.misdirected || note}。实例的状态不受影响，恢复后自动更新；这期间的数据可能已经过时。`}
          />
        )}
        {server.drain && (
          <Alert
            type="warning"
            showIcon
            title={`${drainText(server.drain)}。不能在这台服务器上启动实例，到时还在运行的实例自动停止，文件都保留。`}
          />
        )}
        {server.state === "online" && !server.schedulable && !server.drain && (
          <Alert type="warning" showIcon title={`正在维护，暂不接受新实例${note ? `：${note}` : ""}`} />
        )}
        <Columns
          side={
            <>
              <MachinePanel server={server} />
              <SystemFacts server={server} />
              {manage && <CheckList id={server.id} checks={manage.checks} />}
            </>
          }
        >
          <GpuTable server={server} />
          {gpus.length > 0 && <Usage server={server} />}
          <ProcessTable server={server} />
          <Instances server={server} />
          {manage && <EngineImages server={server} />}
          {manage && <KernelLog server={server} allowed={manage.machineHelper} />}
        </Columns>
      </Stack>
    </>
  );
}

function Usage({ server }: { server: ServerView }) {
  const minutes = useSpan();
  return (
    <Panel title="用量" extra={<SpanPicker />}>
      <GpuCharts key={minutes} gpus={server.gpus} minutes={minutes} />
    </Panel>
  );
}

function Instances({ server }: { server: ServerView }) {
  const session = useSession();
  const instances = useQuery(instancesOnQuery(server.id));
  const admin = isAdmin(session);
  const mine = (instance: InstanceView) => instance.owner.id === session.id;
  // A group's leader sees the members' instances too.
  const others = admin || instances.data?.items.some((instance) => !mine(instance));
  return (
    <InstancePanel
      title={others ? "实例" : "我的实例"}
      label={`${server.name} 的实例`}
      instances={instances}
      empty={{ text: `${server.name} 上没有${admin ? "" : "你的"}实例` }}
      owners
      full={(instance) => admin || mine(instance)}
    />
  );
}
