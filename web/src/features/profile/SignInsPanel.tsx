// 登录设备: where I am signed in.
import { useQuery } from "@tanstack/react-query";
import { signInsQuery } from "@/shared/sign-ins/api";
import { EndAllButton } from "@/shared/sign-ins/EndAllButton";
import { SignInList } from "@/shared/sign-ins/SignInList";
import { Panel } from "@/shared/ui/Panel";

export function SignInsPanel() {
  const query = useQuery(signInsQuery(null));
  const others = query.data?.items.filter(({ current }) => !current).length ?? 0;
  return (
    <Panel
      title="登录设备"
      extra={<EndAllButton user={null} disabled={others === 0} />}
      padded
      refreshing={query.isFetching && query.data !== undefined}
    >
      <SignInList user={null} query={query} />
    </Panel>
  );
}
