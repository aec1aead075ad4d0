// The deliveries of a channel: the last one, the numbers of pending and failed ones, and their errors.
import { App, Button, Flex } from "antd";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import type { MailSettings, WebhookSettings } from "./api";
import styles from "./WebhookPanel.module.css";

/** An action on all failed deliveries. */
interface Act {
  isPending: boolean;
  mutate: (nothing: undefined, options: { onError: (error: Error) => void }) => void;
}

interface NoticesStateProps {
  now: Pick<WebhookSettings | MailSettings, "last" | "waiting" | "failed" | "faults">;
  /** The channel: 通知, 邮件. */
  what: string;
  /** The Chinese measure word: 条, 封. */
  unit: string;
  retry: Act;
  forget: Act;
}

export function NoticesState({ now, what, unit, retry, forget }: NoticesStateProps) {
  const { last, waiting, failed, faults } = now;
  if (!last && waiting === 0 && failed === 0) return null;
  return (
    <section className={styles.state} aria-label={`${what}的状态`}>
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
        <span>
          等待发送 {waiting} {unit}
        </span>
        <span>
          已放弃 {failed} {unit}
        </span>
        {failed > 0 && <GivenUp retry={retry} forget={forget} />}
      </Flex>
      {faults.length > 0 && (
        <ul className={styles.faults} aria-label={`没有送达的${what}`}>
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

function GivenUp({ retry, forget }: Pick<NoticesStateProps, "retry" | "forget">) {
  const { message } = App.useApp();
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
