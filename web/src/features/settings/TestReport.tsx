// The result of testing settings: step by step, and whether it still applies to the present form.
import type { ReactNode } from "react";
import { Checks } from "@/shared/ui/Checks";
import styles from "./TestReport.module.css";

interface TestReportProps {
  ok: boolean;
  steps: readonly { title: string; ok: boolean; message: string }[];
  /** The accessible name, where a page has several. */
  label?: string;
  /** The form was changed since. */
  outdated: boolean;
  children?: ReactNode;
}

/** The button that requested it is above, often at the window's end. */
function show(report: HTMLElement | null) {
  report?.scrollIntoView?.({ block: "nearest" });
}

export function TestReport({ ok, steps, label = "测试结果", outdated, children }: TestReportProps) {
  const checks = steps.map(({ title, ok: passed, message }, index) => ({
    name: `${index}`,
    title,
    outcome: passed ? ("passed" as const) : ("failed" as const),
    detail: message,
  }));
  return (
    <section ref={show} className={styles.report} aria-label={label}>
      <h3 className={styles.title}>
        {ok ? "测试通过" : "测试没有通过"}
        {outdated && <span className={styles.outdated}>设置在测试之后又改过</span>}
      </h3>
      <Checks checks={checks} />
      {children}
    </section>
  );
}
