// The view in the URL, without default values.
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "react-router";
import { profileQuery } from "@/shared/api/profile";
import { isAdmin, useSession } from "@/shared/stores/session";
import type { Period, Subject, UsageView } from "./api";
import { daysOf, isDay, labToday, type Range, ranges } from "./days";

const periods = ["range", "day", "month"] as const satisfies readonly Period[];

type Name = "range" | "from" | "to" | "by" | "subject" | "person" | "group";

export interface UsageViewState {
  view: UsageView;
  range: Range;
  /** Whether the user may see other people's use. */
  seesOthers: boolean;
  /** The groups that the user leads; administrators see all groups anyway. */
  led: readonly { id: number; name: string }[];
  /** Changes these parameters and returns to the first page. */
  change: (values: Partial<Record<Name, string | undefined>>) => void;
}

const numberOf = (text: string | null) => (text && /^\d{1,15}$/.test(text) ? Number(text) : undefined);

export function useUsageView(): UsageViewState {
  const [address, setAddress] = useSearchParams();
  const session = useSession();
  const groups = useQuery(profileQuery(session.id)).data?.groups ?? [];
  const led = groups.filter(({ leader }) => leader);
  const seesOthers = isAdmin(session) || led.length > 0;
  const today = labToday();
  const asked = ranges.find((range) => range === address.get("range")) ?? "month";
  const [from, to] = [address.get("from"), address.get("to")];
  const custom = asked === "custom" && isDay(from) && isDay(to) && from <= to ? { from, to } : undefined;
  const range = asked === "custom" && !custom ? "month" : asked;
  const days = custom ?? daysOf(range === "custom" ? "month" : range, today);
  const person = seesOthers ? numberOf(address.get("person")) : undefined;
  // By default, sums for many users, days for a single one.
  const usual = seesOthers && person === undefined ? "range" : "day";
  const subject: Subject = seesOthers && address.get("subject") === "group" ? "group" : "person";
  return {
    view: {
      days,
      by: periods.find((period) => period === address.get("by")) ?? usual,
      subject,
      person,
      group: seesOthers ? numberOf(address.get("group")) : undefined,
    },
    range,
    seesOthers,
    led,
    change: (values) =>
      setAddress(
        (old) => {
          const next = new URLSearchParams(old);
          next.delete("page");
          for (const [name, value] of Object.entries(values)) {
            if (value) next.set(name, value);
            else next.delete(name);
          }
          return next;
        },
        { replace: true },
      ),
  };
}
