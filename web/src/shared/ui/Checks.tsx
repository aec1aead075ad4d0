// A list of checks, their results, and advice for failed ones.
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import styles from "./Checks.module.css";

interface CheckResult {
  /** Unique within the list. */
  name: string;
  title: string;
  outcome: "passed" | "warning" | "failed";
  detail: string;
  advice?: string;
}

const looks: Record<CheckResult["outcome"], { icon: IconName; label: string }> = {
  passed: { icon: "success", label: "通过" },
  warning: { icon: "alert", label: "注意" },
  failed: { icon: "fault", label: "未通过" },
};

export function Checks({ checks }: { checks: readonly CheckResult[] }) {
  return (
    <ul className={styles.checks} aria-label="逐项结果">
      {checks.map(({ name, title, outcome, detail, advice }) => (
        <li key={name} className={styles[outcome]}>
          <Icon name={looks[outcome].icon} size={14} />
          <div>
            <b>{title}</b> <span className={styles.label}>{looks[outcome].label}</span>
            {detail && <p>{detail}</p>}
            {advice && <p className={styles.advice}>{advice}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}
