// The ways into a running instance, as quiet buttons of its row: for its owner and administrators.
import { Button, Flex } from "antd";
import { LinkButton } from "@/shared/frame/LinkButton";
import { Icon } from "@/shared/theme/Icon";
import { CopyText } from "@/shared/ui/CopyText";
import type { InstancePort, InstanceView } from "./api";
import { portLink, terminalLink } from "./links";

const SSH_PORT = 22;

/** Ports that a browser can open. */
export const webPorts = ({ ports }: Pick<InstanceView, "ports">): InstancePort[] =>
  ports.filter(({ protocol, containerPort, name }) => {
    return protocol === "tcp" && containerPort !== SSH_PORT && name.toLowerCase() !== "ssh";
  });

const portName = ({ name, containerPort }: InstancePort) => name || String(containerPort);

/** Whether the instance can be entered at all. */
export const isOpen = ({ state, unreachable, suspended, frozen }: InstanceView) =>
  state === "running" && !unreachable && !suspended && !frozen;

export function InstanceAccess({ instance }: { instance: InstanceView }) {
  const terminal = terminalLink(instance);
  const [port] = webPorts(instance);
  if (!isOpen(instance) || !terminal) return null;
  return (
    <Flex gap={2} wrap>
      {instance.ssh && <CopyText text={instance.ssh}>SSH</CopyText>}
      <LinkButton type="text" to={terminal} icon={<Icon name="terminal" size={14} />}>
        终端
      </LinkButton>
      {port && instance.server && (
        <Button
          type="text"
          href={portLink(instance.server.publicHost, port.hostPort)}
          target="_blank"
          rel="noreferrer"
          icon={<Icon name="external" size={14} />}
        >
          {portName(port)}
        </Button>
      )}
    </Flex>
  );
}
