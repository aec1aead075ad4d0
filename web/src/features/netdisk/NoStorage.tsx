// The storage host is not configured yet. Only administrators can do that.
import { LinkButton } from "@/shared/frame/LinkButton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { Panel } from "@/shared/ui/Panel";

export function NoStorage({ admin }: { admin: boolean }) {
  return (
    <Panel label="网盘">
      {admin ? (
        <EmptyPanel
          icon="folder"
          text="存储服务器未配置，请进行配置"
          note="配置后刷新页面或重新登录"
          action={<LinkButton to="/settings/basic_setting">去基本设置</LinkButton>}
        />
      ) : (
        <EmptyPanel icon="folder" text="存储服务器未配置，请联系管理员!" />
      )}
    </Panel>
  );
}
