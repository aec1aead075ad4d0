// 开始使用: the remaining steps before a person can work, with ticks from the present state. Hidden when all are done, or
// when the user closes it; folded to the next step where there is work to be seen below it.
import { Button } from "antd";
import { useState } from "react";
import { Link } from "react-router";
import { readLocal, writeLocal } from "@/shared/lib/local-items";
import { useSession } from "@/shared/stores/session";
import { Icon } from "@/shared/theme/Icon";
import { Command } from "@/shared/ui/Command";
import { Panel } from "@/shared/ui/Panel";
import styles from "./feed.module.css";

export interface FirstStep {
  title: string;
  note: string;
  to: string;
  /** Absent for advice, which is never done. */
  done?: boolean;
  /** What does the same in a shell on the portal's server, and when it is used. */
  command?: { note: string; line: string };
}

interface FirstStepsProps {
  steps: readonly FirstStep[];
  /** Begins folded to one line. */
  folded: boolean;
}

export function FirstSteps({ steps, folded }: FirstStepsProps) {
  const { id } = useSession();
  // Two users may share one browser.
  const [closed, setClosed] = useState(() => readLocal("firstStepsClosed") === `${id}`);
  const [open, setOpen] = useState<boolean | null>(null);
  const shown = open ?? !folded;
  const next = steps.find(({ done }) => done === false);
  const ticked = steps.filter(({ done }) => done !== undefined);
  const left = ticked.filter(({ done }) => !done).length;
  if (closed || left === 0) return null;

  function close() {
    writeLocal("firstStepsClosed", `${id}`);
    setClosed(true);
  }

  return (
    <Panel
      title="开始使用"
      extra={
        <>
          {!shown && next && (
            <Link to={next.to} className={styles.next}>
              下一步：{next.title}
            </Link>
          )}
          <span className={styles.more}>
            已完成 {ticked.length - left} / {ticked.length}
          </span>
          {folded && (
            <Button
              type="text"
              size="small"
              aria-expanded={shown}
              icon={<Icon name={shown ? "up" : "down"} size={14} />}
              onClick={() => setOpen(!shown)}
            >
              {shown ? "收起" : "展开"}
            </Button>
          )}
          <Button
            type="text"
            size="small"
            aria-label="不再显示“开始使用”"
            icon={<Icon name="close" size={14} />}
            onClick={close}
          />
        </>
      }
    >
      <ul className={styles.feed} aria-label="开始使用" hidden={!shown}>
        {steps.map(({ title, note, to, done, command }) => (
          <li key={title}>
            <Link to={to} className={styles.row} aria-label={done ? `${title}（已完成）` : title}>
              {done ? (
                <Icon name="success" className={styles.fine} />
              ) : (
                <Icon name={done === false ? "step" : "ticket"} />
              )}
              <span className={styles.words}>
                <span className={done ? styles.note : undefined}>{title}</span>
                {!done && <div className={styles.note}>{note}</div>}
              </span>
              {!done && <Icon name="right" size={14} />}
            </Link>
            {!done && command && (
              <div className={styles.command}>
                <span className={styles.note}>{command.note}</span>
                <Command text={command.line} label={`复制命令：${command.note}`} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
