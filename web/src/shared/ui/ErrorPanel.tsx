// A failed request: its object, the server's message, a retry, and the request id to quote.
import { Button } from "antd";
import { Icon } from "@/shared/theme/Icon";
import { CopyText } from "./CopyText";
import styles from "./EmptyPanel.module.css";
import type { Failure } from "./failure";

interface ErrorPanelProps {
  /** What is missing now, e.g. 用户列表没有取到. */
  title: string;
  error: Failure;
  onRetry: () => void;
}

export function ErrorPanel({ title, error, onRetry }: ErrorPanelProps) {
  return (
    <div className={styles.empty} role="alert">
      <Icon name="alert" size={28} className={styles.icon} />
      <div className={styles.title}>{title}</div>
      <div className={styles.note}>{error.message}</div>
      <div className={styles.actions}>
        <Button icon={<Icon name="refresh" size={14} />} onClick={onRetry}>
          重试
        </Button>
        {error.requestId && <CopyText text={error.requestId}>请求 {shorten(error.requestId)}</CopyText>}
      </div>
    </div>
  );
}

/** The whole id is copied; its beginning is enough to recognise it. */
function shorten(id: string): string {
  return id.length > 18 ? `${id.slice(0, 18)}…` : id;
}
