// A work order about a faulty card, prefilled with all known facts.
import { fullTime } from "@/shared/lib/time";
import { worksheetLinks } from "@/shared/worksheets/api";
import type { Gpu } from "./api";

export type FaultyGpu = Pick<Gpu, "index" | "model" | "uuid" | "fault" | "outage">;

/** Of these, the cards that are out of order. */
export const faultyOf = <One extends Pick<Gpu, "state">>(gpus: readonly One[]): One[] =>
  gpus.filter(({ state }) => state === "faulty");

interface Where {
  /** The server's name. */
  server: string;
  /** The instance that has the card. */
  instance?: { id: string; name: string } | undefined;
}

/** Link to a new work order about these cards. */
export function faultOrderLink(gpus: readonly FaultyGpu[], { server, instance }: Where): string {
  const cards = gpus.map(({ index }) => index).join("、");
  const lines = gpus.map(({ index, model, uuid, fault, outage }) =>
    [`卡 ${index}（${model}，${uuid}）：${fault}`, outage && `发现于 ${fullTime(outage.since)}`]
      .filter(Boolean)
      .join("，"),
  );
  return worksheetLinks.ask("fault", {
    title: `${server} 卡 ${cards} 故障`,
    content: [`服务器：${server}`, ...lines, ...(instance ? [`实例：${instance.name}`] : [])].join("\n"),
    ...(instance && { instance: instance.id }),
  });
}
