// 通知邮件: the kinds of notices that are also sent by mail. Each choice is saved at once.
import { useQuery } from "@tanstack/react-query";
import { App, Checkbox, Flex, Skeleton } from "antd";
import { groupLabels } from "@/shared/notices/words";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { type NoticePreferences, noticePreferencesQuery, useSetNoticePreferences } from "./api";
import styles from "./NoticesPanel.module.css";

/** Those of every user; `system` is for administrators, whose choice stays unchanged. */
const groups: readonly NoticePreferences["mail"][number][] = [
  "worksheets",
  "findings",
  "instances",
  "disk",
  "user_groups",
  "account",
];

/** `email`: the address in the profile, for the note. */
export function NoticesPanel({ email }: { email: string }) {
  const { data, error, refetch, isFetching } = useQuery(noticePreferencesQuery);
  return (
    <Panel title="通知邮件" padded refreshing={isFetching && data !== undefined}>
      {data ? (
        <Choices now={data} email={email} />
      ) : error ? (
        <ErrorPanel title="通知邮件没有取到" error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton title={false} paragraph={{ rows: 3 }} />
      )}
    </Panel>
  );
}

function Choices({ now, email }: { now: NoticePreferences; email: string }) {
  const { message } = App.useApp();
  const set = useSetNoticePreferences();
  // A choice shows at once.
  const mail = set.isPending ? set.variables : now.mail;

  function choose(group: (typeof groups)[number], wanted: boolean) {
    const others = mail.filter((one) => one !== group);
    const chosen = wanted ? [...others, group] : others;
    set.mutate(chosen, { onError: (error) => void message.error(error.message, 2) });
  }

  return (
    <>
      <p className={styles.note}>{noteOf(now.mailEnabled, email)}</p>
      <Flex vertical gap={8}>
        {groups.map((group) => (
          <Checkbox
            key={group}
            checked={mail.includes(group)}
            disabled={set.isPending}
            onChange={({ target }) => choose(group, target.checked)}
          >
            {groupLabels[group]}
          </Checkbox>
        ))}
      </Flex>
    </>
  );
}

function noteOf(enabled: boolean, email: string): string {
  if (!enabled) return "平台还没有设置邮件，通知只在页面上显示。";
  if (email === "") return "填写邮箱后，选中的通知会同时发邮件给你。";
  return `选中的通知会同时发到 ${email}。`;
}
