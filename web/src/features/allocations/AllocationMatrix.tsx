// A matrix of servers × everyone, groups and people: who may use which server. A cell opens its allocation, an empty
// one begins a new allocation.

import type { ServerView } from "@/shared/compute/api";
import { faultyOf } from "@/shared/compute/card-fault";
import { Icon } from "@/shared/theme/Icon";
import styles from "./AllocationMatrix.module.css";
import type { Preset } from "./allocation-form";
import type { Allocation } from "./api";
import { gpusText, limitsText, modeLabels, subjectLabels, validityText } from "./words";

interface Column extends Required<Pick<Preset, "subject">> {
  subjectId?: number;
  name: string;
}

interface AllocationMatrixProps {
  servers: readonly ServerView[];
  allocations: readonly Allocation[];
  groups: readonly { value: number; label: string }[];
  onOpen: (allocation: Allocation) => void;
  onNew: (preset: Preset) => void;
}

/** Everyone, all groups, and the people with an allocation of their own. */
function columnsOf(allocations: readonly Allocation[], groups: AllocationMatrixProps["groups"]): Column[] {
  const people = new Map<number, string>();
  for (const { subject, subjectId, subjectName } of allocations) {
    if (subject === "user" && subjectId != null) people.set(subjectId, subjectName || "（已删除）");
  }
  return [
    { subject: "everyone", name: subjectLabels.everyone },
    ...groups.map(({ value, label }): Column => ({ subject: "group", subjectId: value, name: label })),
    ...[...people].map(([subjectId, name]): Column => ({ subject: "user", subjectId, name })),
  ];
}

const isOf =
  ({ id }: ServerView, { subject, subjectId }: Column) =>
  (one: Allocation) =>
    one.server === id && one.subject === subject && (one.subjectId ?? undefined) === subjectId;

export function AllocationMatrix({ servers, allocations, groups, onOpen, onNew }: AllocationMatrixProps) {
  const columns = columnsOf(allocations, groups);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label="分配矩阵">
      <table className={styles.matrix}>
        <thead>
          <tr>
            <th scope="col">服务器</th>
            {columns.map(({ subject, subjectId, name }) => (
              <th key={`${subject} ${subjectId}`} scope="col">
                {name}
                <small>{subject === "everyone" ? "" : subjectLabels[subject]}</small>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {servers.map((server) => (
            <tr key={server.id}>
              <th scope="row">
                {server.name}
                <small>{server.gpus.length > 0 ? `${server.gpus.length} 张卡` : "没有卡"}</small>
                {faultyOf(server.gpus).map(({ id, index, fault }) => (
                  <small key={id} className={styles.fault} title={fault}>
                    卡 {index} 故障：{fault}
                  </small>
                ))}
              </th>
              {columns.map((column) => {
                const here = allocations.filter(isOf(server, column));
                const { subject, subjectId, name } = column;
                return (
                  <td key={`${subject} ${subjectId}`}>
                    {here.map((one) => (
                      <Cell key={one.id} allocation={one} onOpen={() => onOpen(one)} />
                    ))}
                    {here.length === 0 && (
                      <button
                        type="button"
                        className={styles.add}
                        aria-label={`把 ${server.name} 分配给${name}`}
                        onClick={() =>
                          onNew({ server: server.id, subject, ...(subjectId !== undefined && { subjectId }) })
                        }
                      >
                        <Icon name="plus" size={14} />
                      </button>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({ allocation, onOpen }: { allocation: Allocation; onOpen: () => void }) {
  const { mode, valid } = allocation;
  const notes = [limitsText(allocation), validityText(allocation)].filter(Boolean).join(" · ");
  return (
    <button
      type="button"
      className={[styles.cell, mode === "exclusive" && styles.exclusive, !valid && styles.over]
        .filter(Boolean)
        .join(" ")}
      title={notes}
      onClick={onOpen}
    >
      {modeLabels[mode]} · {gpusText(allocation)}
      <small>{valid ? notes : `未生效 · ${validityText(allocation)}`}</small>
    </button>
  );
}
