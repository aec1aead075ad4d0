// The public keys of the user's computers, for signing in to instances by SSH.
import { useQuery } from "@tanstack/react-query";
import { Tag } from "antd";
import { knownHostsLine, sshCommand, sshGatewayQuery } from "@/shared/api/ssh-gateway";
import { usePanel } from "@/shared/list/use-panel";
import { useSession } from "@/shared/stores/session";
import { CopyText } from "@/shared/ui/CopyText";
import { type SshKey, sshKeysQuery, useDeleteSshKey } from "./api";
import { SecretPanel } from "./SecretPanel";
import { SshKeyDrawer } from "./SshKeyDrawer";

const panels = ["ssh-key"] as const;

export function SshKeys() {
  const panel = usePanel(panels);
  return (
    <>
      <SecretPanel<SshKey>
        kind="SSH 公钥"
        note={<HowTo />}
        query={useQuery(sshKeysQuery)}
        newVerb="添加"
        verb="删除"
        remove={useDeleteSshKey()}
        loss="用它打开的 SSH 连接几秒内断开，之后不能再用它登录。实例里的程序不受影响。"
        tags={({ algorithm }) => <Tag variant="filled">{algorithm}</Tag>}
        last={({ fingerprint }) => <code>{fingerprint}</code>}
        onNew={() => panel.show("ssh-key")}
      />
      <SshKeyDrawer open={panel.name === "ssh-key"} onClose={panel.close} />
    </>
  );
}

function HowTo() {
  const username = useSession((session) => session.username);
  const gateway = useQuery(sshGatewayQuery).data;
  const port = gateway?.port;
  if (!gateway || !port) return "平台现在没有开放 SSH，公钥可以先添加，开放后就能用。";
  const command = sshCommand(username, port);
  return (
    <>
      添加后，在这台电脑上运行 <code>{command}</code>
      <CopyText text={command} label="复制 SSH 命令" />
      ，从列表里选择实例。第一次连接时核对主机密钥的指纹 <code>{gateway.fingerprint}</code>，或者先把它加到
      known_hosts
      <CopyText text={knownHostsLine(gateway, port)} label="复制 known_hosts 的一行" />。
    </>
  );
}
