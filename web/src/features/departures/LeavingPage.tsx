// 办理离开: one or several people, whose names are in the URL, and a plan for each.
import { useQuery } from "@tanstack/react-query";
import { Alert, Flex, Skeleton } from "antd";
import { useSearchParams } from "react-router";
import { LinkButton } from "@/shared/frame/LinkButton";
import { useSession } from "@/shared/stores/session";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { peopleNamedQuery } from "./api";
import { LeavingPanel } from "./LeavingPanel";

/** More are done in several rounds. */
const MOST = 20;

export default function LeavingPage() {
  const [address] = useSearchParams();
  const me = useSession((session) => session.id);
  const names = [...new Set((address.get("name") ?? "").split(",").filter(Boolean))].slice(0, MOST);
  const found = useQuery(peopleNamedQuery(names));
  const people = (found.data?.people ?? []).filter((user) => user.id !== me);
  const missing = found.data?.missing ?? [];
  return (
    <>
      <PageHeader
        title="办理离开"
        meta="安排好名下的实例、数据集、镜像和文件，再删除账号"
        actions={<LinkButton to="/users/departures">人员离开记录</LinkButton>}
      />
      <Flex vertical gap={16}>
        {names.length === 0 && (
          <Panel>
            <EmptyPanel
              icon="users"
              text="没有选择要离开的人"
              action={<LinkButton to="/users/user_list">到用户列表选择</LinkButton>}
            />
          </Panel>
        )}
        {names.length > 0 && found.isPending && (
          <Panel padded label="正在查找">
            <Skeleton active aria-label="正在查找" />
          </Panel>
        )}
        {found.error && (
          <Panel>
            <ErrorPanel title="用户没有取到" error={found.error} onRetry={() => void found.refetch()} />
          </Panel>
        )}
        {missing.length > 0 && (
          <Alert type="warning" showIcon title={`没有这些用户：${missing.join("、")}，可能已经删除`} />
        )}
        {found.data?.people.some((user) => user.id === me) && (
          <Alert type="warning" showIcon title="不能办理自己的离开，请由其他管理员办理" />
        )}
        {people.map((user) => (
          <LeavingPanel key={user.id} user={user} alone={people.length === 1} />
        ))}
      </Flex>
    </>
  );
}
