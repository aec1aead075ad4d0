// 访问: SSH with its command, ports as links, the web terminal, the files.

import { Button, Flex } from "antd";
import type { InstanceDetail } from "@/shared/compute/api";
import { isOpen, webPorts } from "@/shared/compute/InstanceAccess";
import { isSuspended, lookOf } from "@/shared/compute/instance-state";
import { portLink, terminalLink } from "@/shared/compute/links";
import { LinkButton } from "@/shared/frame/LinkButton";
import { Icon } from "@/shared/theme/Icon";
import { Command } from "@/shared/ui/Command";
import { CopyText } from "@/shared/ui/CopyText";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { Panel } from "@/shared/ui/Panel";
import styles from "./Access.module.css";

interface AccessProps {
  instance: InstanceDetail;
  /** The files under /home are the asking person's own. */
  own: boolean;
  /** Whether the asking person may look into it. */
  full: boolean;
}

const isSsh = (port: number) => port === 22;

export function Access({ instance, own, full }: AccessProps) {
  const { server, ports, ssh } = instance;
  const terminal = terminalLink(instance);
  const open = isOpen(instance);
  const extra = full && (
    <Flex gap={8}>
      {terminal && (
        <LinkButton
          to={terminal}
          disabled={!open}
          icon={<Icon name="terminal" size={14} />}
          {...(!open && { title: closedText(instance) })}
        >
          网页终端
        </LinkButton>
      )}
      <LinkButton
        to={own ? "/netdisk/files/home/" : `/netdisk/files/home/${instance.owner.username}/`}
        icon={<Icon name="folder" size={14} />}
      >
        文件
      </LinkButton>
    </Flex>
  );
  return (
    <Panel title="访问" extra={extra}>
      {!open || !server ? (
        <EmptyPanel icon={lookOf(instance).icon} text={closedText(instance)} />
      ) : (
        <dl className={styles.rows}>
          {ssh && (
            <div>
              <dt>SSH</dt>
              <dd className={styles.command}>
                <code>{ssh}</code>
                <SignInHelp />
              </dd>
              <CopyText text={ssh}>复制</CopyText>
            </div>
          )}
          {webPorts(instance).map(({ name, containerPort, hostPort }) => {
            const address = portLink(server.publicHost, hostPort);
            return (
              <div key={hostPort}>
                <dt>{name || `端口 ${containerPort}`}</dt>
                <dd>
                  <a href={address} target="_blank" rel="noreferrer">
                    {server.publicHost}:{hostPort}
                  </a>
                  <small>容器端口 {containerPort}</small>
                </dd>
                <Button
                  href={address}
                  target="_blank"
                  rel="noreferrer"
                  aria-label={`打开 ${name || containerPort}`}
                  icon={<Icon name="external" size={14} />}
                >
                  打开
                </Button>
              </div>
            );
          })}
          {ports
            .filter(({ protocol }) => protocol === "udp")
            .map(({ name, containerPort, hostPort }) => (
              <div key={`udp ${hostPort}`}>
                <dt>{name || `端口 ${containerPort}`}</dt>
                <dd>
                  {server.publicHost}:{hostPort}
                  <small>UDP · 容器端口 {containerPort}</small>
                </dd>
                <CopyText text={`${server.publicHost}:${hostPort}`}>复制</CopyText>
              </div>
            ))}
          {!ports.some(({ containerPort }) => isSsh(containerPort)) && (
            <div>
              <dt>SSH</dt>
              <dd className={styles.none}>没有开放 22 端口，可以用网页终端；停止后能在“修改”里添加端口</dd>
            </div>
          )}
        </dl>
      )}
    </Panel>
  );
}

/** Images decide how one signs in; the terminal of this page needs neither password nor key. */
function SignInHelp() {
  return (
    <details className={styles.help}>
      <summary>怎样登录？</summary>
      <p>用镜像里设置的密码或公钥。没有设置时，先打开“网页终端”，二选一：</p>
      <Command label="复制命令：设置密码" text="passwd" />
      <Command
        label="复制命令：加入公钥"
        text={"mkdir -p ~/.ssh && chmod 700 ~/.ssh && cat >> ~/.ssh/authorized_keys"}
      />
      <p>运行第二条后，粘贴自己电脑上 ~/.ssh/id_ed25519.pub 的内容，再按回车和 Ctrl+D。</p>
    </details>
  );
}

/** What has to happen before it can be entered. */
const ahead: Readonly<Record<InstanceDetail["state"], string>> = {
  queued: "正在排队，运行后即可访问",
  preparing: "正在拉取镜像，完成后即可访问",
  creating: "正在创建，运行后即可访问",
  starting: "正在启动，运行后即可访问",
  running: "暂时不能访问",
  stopping: "正在停止，停止后可以再启动",
  stopped: "实例已停止，启动后即可访问",
  error: "实例异常，重新启动后即可访问",
  releasing: "正在释放，不能再访问",
  released: "实例已释放，不能再访问",
};

export function closedText(instance: InstanceDetail): string {
  if (instance.unreachable) return "服务器失联，恢复连接后即可访问";
  if (isSuspended(instance)) return "实例已暂停，解除暂停后即可访问";
  if (instance.frozen) return "实例已冻结，终端暂时打不开；网盘里的文件可以照常管理";
  return ahead[instance.state];
}
