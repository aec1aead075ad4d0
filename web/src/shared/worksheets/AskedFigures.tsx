// The requested figures, beside the requester's present ones.
import { useQuery } from "@tanstack/react-query";
import { allServersQuery } from "@/shared/compute/api";
import styles from "./AskedFigures.module.css";
import type { WorksheetDetail } from "./api";
import { cardsText, quotaFields } from "./figures";

export function AskedFigures({ one }: { one: WorksheetDetail }) {
  return (
    <>
      {one.quotas && <QuotaTable one={one} />}
      {one.cards && <CardsFacts one={one} />}
    </>
  );
}

function QuotaTable({ one }: { one: WorksheetDetail }) {
  const present = one.holdings?.quotas;
  const asked = quotaFields.filter(({ api }) => typeof one.quotas?.[api] === "number");
  const decided = one.decision === "approved";
  return (
    <table className={styles.table} aria-label="申请的配额">
      <thead>
        <tr>
          <th scope="col">配额</th>
          <th scope="col">{decided ? "目前" : "现有"}</th>
          <th scope="col">申请</th>
        </tr>
      </thead>
      <tbody>
        {asked.map(({ api, label, unit, text }) => (
          <tr key={api}>
            <th scope="row">{label}</th>
            <td>{present ? withUnit(text(present[api]), unit) : "—"}</td>
            <td className={styles.asked}>{withUnit(text(one.quotas?.[api] ?? 0), unit)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const withUnit = (text: string, unit: string) => (text === "不限" ? text : `${text} ${unit}`);

function CardsFacts({ one }: { one: WorksheetDetail }) {
  const servers = useQuery(allServersQuery);
  if (!one.cards) return null;
  return (
    <dl className={styles.facts}>
      {cardsText(one.cards, servers.data?.items ?? []).map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
