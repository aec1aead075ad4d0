// Days, grouping and people: the filters of everything on the page.
import { useQuery } from "@tanstack/react-query";
import { Segmented } from "antd";
import { groupOptionsQuery } from "@/shared/list/group-options";
import { PersonSelect } from "@/shared/list/PersonSelect";
import { isAdmin, useSession } from "@/shared/stores/session";
import { FilterSelect } from "@/shared/table/FilterSelect";
import { usePhone } from "@/shared/ui/usePhone";
import type { Period, Subject } from "./api";
import { DayRange } from "./DayRange";
import { type Range, rangeLabels, ranges } from "./days";
import styles from "./Usage.module.css";
import type { UsageViewState } from "./use-usage-view";

const rangeOptions = ranges.map((value) => ({ value, label: rangeLabels[value] }));

const periodOptions: { value: Period; label: string }[] = [
  { value: "range", label: "合计" },
  { value: "day", label: "按日" },
  { value: "month", label: "按月" },
];

const subjectOptions: { value: Subject; label: string }[] = [
  { value: "person", label: "按人员" },
  { value: "group", label: "按用户组" },
];

export function UsageTools({ view, range, seesOthers, led, change }: UsageViewState) {
  const phone = usePhone();
  const admin = useSession(isAdmin);
  return (
    <div className={styles.tools}>
      <Segmented<Range>
        aria-label="时间范围"
        block={phone}
        value={range}
        options={rangeOptions}
        onChange={(next) =>
          change(
            next === "custom"
              ? { range: next, ...view.days }
              : { range: next === "month" ? undefined : next, from: undefined, to: undefined },
          )
        }
      />
      {range === "custom" && <DayRange days={view.days} onChange={(days) => change({ ...days })} />}
      <Segmented<Period>
        aria-label="统计方式"
        block={phone}
        value={view.by}
        options={periodOptions}
        onChange={(by) => change({ by })}
      />
      {seesOthers && (
        <>
          <Segmented<Subject>
            aria-label="统计对象"
            block={phone}
            value={view.subject}
            options={subjectOptions}
            onChange={(subject) => change({ subject: subject === "group" ? subject : undefined })}
          />
          <PersonSelect
            label="人员"
            led={!admin}
            width={phone ? "100%" : 160}
            value={view.person}
            onChange={(person) => change({ person: person?.toString() })}
          />
          <GroupSelect
            value={view.group}
            led={led}
            onChange={(group) => change({ group: group?.toString() })}
          />
        </>
      )}
    </div>
  );
}

interface GroupSelectProps {
  value: number | undefined;
  led: UsageViewState["led"];
  onChange: (group: string | undefined) => void;
}

/** An administrator chooses among all groups, other users among those that they lead. */
function GroupSelect({ value, led, onChange }: GroupSelectProps) {
  const admin = useSession(isAdmin);
  const all = useQuery({ ...groupOptionsQuery, enabled: admin });
  const options = admin ? (all.data ?? []) : led.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <FilterSelect
      label="用户组"
      width={140}
      loading={admin && all.isPending}
      value={value?.toString()}
      options={options.map((option) => ({ ...option, value: String(option.value) }))}
      onChange={onChange}
    />
  );
}
