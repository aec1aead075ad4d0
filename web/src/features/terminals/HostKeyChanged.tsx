// A host whose key has changed is refused: it was either reinstalled, or the connection is being intercepted.
import { App, Button, Flex } from "antd";
import { isAdmin, useSession } from "@/shared/stores/session";
import { type Host, useForgetHostKey } from "./api";
import type { ChangedKey } from "./phase";
import styles from "./SshCover.module.css";
import { closeTerminal, connect } from "./sessions";

interface HostKeyChangedProps {
  id: number;
  host: Host;
  words: string;
  changed: ChangedKey;
}

export function HostKeyChanged({ id, host, words, changed }: HostKeyChangedProps) {
  const admin = useSession(isAdmin);
  const { message } = App.useApp();
  const forget = useForgetHostKey();
  return (
    <section className={styles.card} role="alert">
      <h2>主机密钥变了，已拒绝连接</h2>
      <p className={styles.note}>{words}</p>
      <dl className={styles.keys}>
        <dt>记住的指纹</dt>
        <dd>{changed.expected}</dd>
        <dt>这次的指纹</dt>
        <dd>{changed.offered}</dd>
      </dl>
      <p className={styles.note}>
        主机重装过或实例重建过，密钥就会变；也可能有人在冒充这台主机。
        {admin ? "确认是前一种情况后，忘记旧密钥再连接。" : "请管理员核对，确认后由管理员忘记旧密钥。"}
      </p>
      <Flex gap={8} justify="end">
        <Button onClick={() => closeTerminal(id)}>关闭</Button>
        {admin && (
          <Button
            danger
            loading={forget.isPending}
            onClick={() =>
              forget.mutate(host, {
                onSuccess: () => connect(id),
                onError: (error) => message.error(error.message, 2),
              })
            }
          >
            忘记旧密钥
          </Button>
        )}
      </Flex>
    </section>
  );
}
