// How notices fare: the last one, how many wait or were given up, and what went wrong with them.
import { App, Button, Flex } from "antd";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import { useForgetNotices, useRetryNotices, type WebhookSettings } from "./api";
import styles from "./WebhookPanel.module.css";

export function NoticesState({ now }: { now: WebhookSettings }) {
  const { last, waiting, failed, faults } = now;
  if (!last && waiting === 0 && failed === 0) return null;
  return (
    <section className={styles.state} aria-label="通知的状态">
      <Flex gap="4px 24px" wrap align="center">
        {last && (
          <Flex component="span" gap={4} align="center">
            最近一次 <TimeText time={last.time} />
            {last.error === "" ? (
              <StateText icon="success" tone="success">
                已送达
              </StateText>
            ) : (
              <StateText icon="fault" tone="error">
                没有送达
              </StateText>
            )}
          </Flex>
        )}
        <span>等待发送 {waiting} 条</span>
        <span>已放弃 {failed} 条</span>
        {failed > 0 && <GivenUp />}
      </Flex>
      {faults.length > 0 && (
        <ul className={styles.faults} aria-label="没有送达的通知">
          {faults.map(({ id, title, time, tries, error, next }) => (
            <li key={id}>
              <b>{title}</b>
              <p>
                <TimeText time={time} />
                {`，试过 ${tries} 次，`}
                {next && <TimeText time={next} />}
                {`${next ? " 再试" : "已放弃"}：${error}`}
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function GivenUp() {
  const { message } = App.useApp();
  const retry = useRetryNotices();
  const forget = useForgetNotices();
  const onError = (error: Error) => void message.error(error.message, 2);
  return (
    <Flex gap={8}>
      <Button size="small" loading={retry.isPending} onClick={() => retry.mutate(undefined, { onError })}>
        重新发送
      </Button>
      <Button size="small" loading={forget.isPending} onClick={() => forget.mutate(undefined, { onError })}>
        清除记录
      </Button>
    </Flex>
  );
}
