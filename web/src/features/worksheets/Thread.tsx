// The thread, oldest first: the request, the replies, and every change of the state.
import { type ReactNode, useEffect, useRef } from "react";
import { useSession } from "@/shared/stores/session";
import { Icon } from "@/shared/theme/Icon";
import { TimeText } from "@/shared/ui/TimeText";
import { UserAvatar } from "@/shared/ui/UserAvatar";
import type { WorksheetAttachment, WorksheetDetail, WorksheetEntry } from "@/shared/worksheets/api";
import { FiguresCard } from "@/shared/worksheets/FiguresCard";
import type { Standing } from "@/shared/worksheets/standing";
import { worksheetStates } from "@/shared/worksheets/words";
import { AttachmentList } from "./AttachmentList";
import styles from "./Thread.module.css";

interface ThreadProps {
  one: WorksheetDetail;
  standing: Standing;
}

export function Thread({ one, standing }: ThreadProps) {
  const own = useSession((session) => session.id);
  const scroll = useRef<HTMLDivElement>(null);
  const length = one.thread.length;

  // Scrolls to the latest entry, when opened and after each new one.
  useEffect(() => {
    if (length > 0 && scroll.current) scroll.current.scrollTop = scroll.current.scrollHeight;
  }, [length]);

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <div ref={scroll} className={styles.scroll} role="log" aria-label="对话" tabIndex={0}>
      <Bubble
        author={one.requester}
        time={one.Created}
        content={one.content}
        attachments={one.attachments}
        mine={one.requester.id === own}
      >
        {(one.quotas ?? one.cards) && <FiguresCard one={one} standing={standing} />}
      </Bubble>
      {one.thread.map((entry) =>
        entry.kind === "reply" ? (
          <Bubble key={entry.id} {...entry} mine={entry.author.id === own} />
        ) : (
          <Event key={entry.id} entry={entry} />
        ),
      )}
    </div>
  );
}

interface BubbleProps {
  author: WorksheetEntry["author"];
  time: string;
  content: string;
  attachments: readonly WorksheetAttachment[];
  mine: boolean;
  children?: ReactNode;
}

function Bubble({ author, time, content, attachments, mine, children }: BubbleProps) {
  const name = author.name || author.username;
  return (
    <article className={mine ? `${styles.said} ${styles.mine}` : styles.said}>
      <UserAvatar name={name} />
      <div className={styles.body}>
        <div className={styles.by}>
          {name} <TimeText time={time} />
        </div>
        <div className={styles.bubble}>
          {content && <p className={styles.content}>{content}</p>}
          {children}
          <AttachmentList files={attachments} />
        </div>
      </div>
    </article>
  );
}

const decisions = {
  approved: { icon: "success", verb: "已批准", tone: styles.fine },
  rejected: { icon: "ban", verb: "已驳回", tone: styles.bad },
} as const;

function Event({ entry }: { entry: WorksheetEntry }) {
  const name = entry.author.name || entry.author.username;
  return (
    <div className={styles.event}>
      <EventWords entry={entry} />
      <span className={styles.meta}>
        {name} · <TimeText time={entry.time} />
      </span>
    </div>
  );
}

function EventWords({ entry: { kind, content, from, to } }: { entry: WorksheetEntry }) {
  if (kind === "approved" || kind === "rejected") {
    const { icon, verb, tone } = decisions[kind];
    return (
      <span className={tone}>
        <Icon name={icon} size={14} /> {verb}：{content}
      </span>
    );
  }
  if (from && to) {
    return (
      <span>
        <Icon name={worksheetStates[to].icon} size={14} /> {worksheetStates[from].label} →{" "}
        {worksheetStates[to].label}
      </span>
    );
  }
  return (
    <span>
      <Icon name="edit" size={14} /> {content}
    </span>
  );
}
