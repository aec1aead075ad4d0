// 访问: SSH with its command, ports as links, the web terminal, the files.

import { Button, Flex } from "antd";
import { sshCommand } from "@/shared/api/ssh-gateway";
import type { InstanceDetail } from "@/shared/compute/api";
import { isOpen, webPorts } from "@/shared/compute/InstanceAccess";
import { isMoving, isSuspended, lookOf } from "@/shared/compute/instance-state";
import { portLink, terminalLink } from "@/shared/compute/links";
import { LinkButton } from "@/shared/frame/LinkButton";
import { Icon } from "@/shared/theme/Icon";
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
  /** The port of the SSH gateway, if it answers. */
  sshPort: number | null | undefined;
}

const isSsh = (port: number) => port === 22;

export function Access({ instance, own, full, sshPort }: AccessProps) {
  const { server, ports, ssh } = instance;
  const command = full && sshPort ? sshCommand(instance.name, sshPort) : undefined;
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
        <EmptyPanel
          icon={lookOf(instance).icon}
          text={closedText(instance)}
          note={`${openedBy(instance)}后这里显示 SSH 命令和端口地址`}
        />
      ) : (
        <dl className={styles.rows}>
          {command && <Command name="SSH" text={command} />}
          {ssh && <Command name={command ? "SSH（镜像的）" : "SSH"} text={ssh} />}
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
          {!command && !ports.some(({ containerPort }) => isSsh(containerPort)) && (
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

function Command({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className={styles.command}>
        <code>{text}</code>
      </dd>
      <CopyText text={text}>复制</CopyText>
    </div>
  );
}

function closedText(instance: InstanceDetail): string {
  if (instance.unreachable) return "服务器失联，暂时不能访问";
  if (instance.frozen) return "实例已冻结，终端暂时打不开；网盘里的文件可以照常管理";
  return `实例${lookOf(instance).label}，还不能访问`;
}

function openedBy(instance: InstanceDetail): string {
  if (instance.unreachable) return "恢复连接";
  if (isSuspended(instance)) return "解除暂停";
  if (instance.frozen) return "清理空间并继续运行";
  return isMoving(instance) ? "运行" : "启动";
}
