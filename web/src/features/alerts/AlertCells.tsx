// The cells of an alert's row, on a wide screen and on a phone.
import type { ReactNode } from "react";
import { Link } from "react-router";
import type { Alert } from "@/shared/alerts/api";
import { kindLabels, severityLooks, stateLooks } from "@/shared/alerts/words";
import { whenText } from "@/shared/compute/text";
import type { DataColumn } from "@/shared/table/data-table";
import { StateText } from "@/shared/ui/StateText";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./Alerts.module.css";

function AlertStateText({ alert: { state, severity, silencedUntil, silencedBy } }: { alert: Alert }) {
  const { label, icon, tone } = state === "firing" ? severityLooks[severity] : stateLooks[state];
  return (
    <span className={styles.lines}>
      <StateText icon={icon} tone={tone}>
        {label}
      </StateText>
      {state === "silenced" && (
        <small>
          {silencedBy}，至 {silencedUntil && whenText(silencedUntil)}
        </small>
      )}
    </span>
  );
}

const What = ({ alert: { kind, name, words } }: { alert: Alert }) => (
  <span className={styles.lines}>
    <span>
      {kindLabels[kind]} · {name}
    </span>
    <small className={styles.words}>{words}</small>
  </span>
);

export const alertColumns: readonly DataColumn<Alert>[] = [
  { key: "state", title: "状态", always: true, render: (one) => <AlertStateText alert={one} /> },
  { key: "what", title: "告警", always: true, render: (one) => <What alert={one} /> },
  { key: "since", title: "开始", sort: "since", render: ({ since }) => <TimeText time={since} full /> },
  {
    key: "resolved",
    title: "恢复",
    wide: true,
    render: ({ resolved }) => <TimeText time={resolved} full none="未恢复" />,
  },
];

export function AlertLink({ alert: { kind, name, link } }: { alert: Alert }) {
  return (
    <Link to={link} aria-label={`查看 ${kindLabels[kind]} ${name}`}>
      查看
    </Link>
  );
}

export function AlertCard({ alert, action }: { alert: Alert; action: ReactNode }) {
  return (
    <div className={styles.card}>
      <div className={styles.lines}>
        <AlertStateText alert={alert} />
        <What alert={alert} />
        <small>
          <TimeText time={alert.since} full />
          {alert.resolved && (
            <>
              {" "}
              至 <TimeText time={alert.resolved} full />
            </>
          )}
        </small>
      </div>
      {action}
    </div>
  );
}
