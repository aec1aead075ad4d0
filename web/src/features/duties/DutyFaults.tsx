// Why a duty failed: the error of its last run, or those of single servers. Long ones expand on demand.
import type { DutyFailure } from "./api";
import styles from "./Duties.module.css";

/** Characters that are shown before an error is opened. */
const opening = 60;
/** Servers that are named before the list is opened. */
const named = 3;

export function DutyFaults({ faults }: { faults: readonly DutyFailure[] }) {
  const more = faults.length - named;
  return (
    <div className={styles.faults}>
      <FaultList faults={faults.slice(0, named)} />
      {more > 0 && (
        <details>
          <summary>还有 {more} 台服务器失败</summary>
          <FaultList faults={faults.slice(named)} />
        </details>
      )}
    </div>
  );
}

function FaultList({ faults }: { faults: readonly DutyFailure[] }) {
  return (
    <ul>
      {faults.map(({ server, error }) => (
        <li key={`${server} ${error}`}>
          {server && <b>{server}：</b>}
          <ErrorText error={error} />
        </li>
      ))}
    </ul>
  );
}

function ErrorText({ error }: { error: string }) {
  if (error.length <= opening) return error;
  return (
    <details className={styles.long}>
      <summary>
        <span className={styles.begin}>{error.slice(0, opening)}…</span>
        <span className={styles.less}>收起</span>
      </summary>
      <p className={styles.whole}>{error}</p>
    </details>
  );
}
