// The first connection to a host: the user compares its fingerprint.
import { Button, Flex } from "antd";
import type { Host } from "./api";
import styles from "./SshCover.module.css";
import { closeTerminal, trust } from "./sessions";

interface HostKeyQuestionProps {
  id: number;
  host: Host;
  offered: { algorithm: string; fingerprint: string };
}

export function HostKeyQuestion({ id, host, offered }: HostKeyQuestionProps) {
  return (
    <section className={styles.card} aria-labelledby={`host-key-${id}`}>
      <h2 id={`host-key-${id}`}>信任这台主机？</h2>
      <p className={styles.note}>
        第一次连接 {host.ip}:{host.port}。请向管理员核对下面的指纹，一致才继续；信任后会记住，以后不再询问。
      </p>
      <dl className={styles.keys}>
        <dt>算法</dt>
        <dd>{offered.algorithm}</dd>
        <dt>指纹</dt>
        <dd>{offered.fingerprint}</dd>
      </dl>
      <Flex gap={8} justify="end">
        <Button onClick={() => closeTerminal(id)}>不连接</Button>
        <Button type="primary" autoFocus onClick={() => trust(id)}>
          信任并继续
        </Button>
      </Flex>
    </section>
  );
}
