// The rows of the list: one for each duty and portal. Pure.
import type { ListParams } from "@/shared/list/use-list-params";
import type { DutyInPortal, DutyView } from "./api";
import { type Standing, standingOf } from "./status";

export type Filter = "state";

export interface DutyRow {
  key: string;
  duty: DutyView;
  at: DutyInPortal | undefined;
  standing: Standing;
  /** The first portal's row has the duty's name, the other portals' rows are below it. */
  first: boolean;
  /** Several portals share the work, so each row names its machine. */
  shared: boolean;
  /** The platform's time of the answer, in milliseconds. */
  now: number;
}

/** Facts for the rows besides the duties. */
interface Facts {
  trusted: boolean | undefined;
  shared: boolean;
  now: number;
}

/** Whether several portals share the work, of all duties. */
export function isShared(duties: readonly DutyView[]): boolean {
  return new Set(duties.flatMap(({ portals }) => portals.map(({ host }) => host))).size > 1;
}

export function rowsOf(duties: readonly DutyView[], { trusted, shared, now }: Facts): DutyRow[] {
  return duties.flatMap((duty) => {
    const portals = duty.portals.length > 0 ? duty.portals : [undefined];
    return portals.map((at, index) => ({
      key: `${duty.name} ${index} ${at?.host ?? ""}`,
      duty,
      at,
      standing: standingOf(duty, at, trusted),
      first: index === 0,
      shared,
      now,
    }));
  });
}

/** The duties that failed in some portal. */
export function failedOf(duties: readonly DutyView[], trusted: boolean | undefined): DutyView[] {
  return duties.filter((duty) => duty.portals.some((at) => standingOf(duty, at, trusted) === "failed"));
}

const keys: Readonly<Record<string, (duty: DutyView) => number>> = {
  period: ({ periodMs }) => periodMs,
  took: ({ portals }) => Math.max(0, ...portals.map(({ last }) => last?.tookMs ?? 0)),
};

/** By title by default; the title also orders equal rows. */
export function sorted(
  duties: readonly DutyView[],
  { sort, order }: Pick<ListParams<Filter>, "sort" | "order">,
): DutyView[] {
  const key = keys[sort];
  const sign = order === "desc" ? -1 : 1;
  return duties.toSorted(
    (a, b) => sign * ((key ? key(a) - key(b) : 0) || a.title.localeCompare(b.title, "zh-CN")),
  );
}
