// One kind of things: their number, what happens to them, and single ones on demand.
import { Button } from "antd";
import { useId, useState } from "react";
import { instanceStates } from "@/shared/compute/instance-state";
import { formatSize } from "@/shared/lib/numbers";
import type { Holdings } from "./api";
import { ChoiceFields } from "./ChoiceFields";
import styles from "./Departures.module.css";
import { type Choice, type Draft, type Thing, thingsOf } from "./draft";
import { kindLabels, type PlannedKind } from "./words";

interface KindRowProps {
  kind: PlannedKind;
  holdings: Holdings;
  draft: Draft;
  /** Beside the name: the size of a home. */
  note?: string | undefined;
  onKind: (choice: Choice) => void;
  onThing: (id: string, choice: Choice | null) => void;
}

export function KindRow({ kind, holdings, draft, note, onKind, onThing }: KindRowProps) {
  const [open, setOpen] = useState(false);
  const list = useId();
  const things = thingsOf(holdings, kind);
  const apart = things.filter(({ id }) => draft.exceptions[id]).length;
  return (
    <li className={styles.kind}>
      <div className={styles.row}>
        <span className={styles.lines}>
          <b>
            {kindLabels[kind]}
            {kind !== "files" && ` ${things.length} 个`}
          </b>
          <small>{note ?? namesOf(things)}</small>
        </span>
        <ChoiceFields
          kind={kind}
          name={kindLabels[kind]}
          value={draft.kinds[kind]}
          receiver={draft.receiver}
          onChange={(choice) => choice && onKind(choice)}
        />
      </div>
      {things.length > 1 && (
        <span>
          <Button
            type="link"
            size="small"
            aria-expanded={open}
            aria-controls={list}
            onClick={() => setOpen(!open)}
          >
            {open ? "收起" : "逐个选择"}
            {apart > 0 && `（${apart} 个单独处理）`}
          </Button>
        </span>
      )}
      {open && (
        <ul id={list} className={styles.things}>
          {things.map((thing) => (
            <li key={thing.id} className={styles.row}>
              <span className={styles.lines}>
                <span>{thing.name}</span>
                <small>{factsOf(holdings, kind, thing.id)}</small>
              </span>
              <ChoiceFields
                kind={kind}
                name={`${thing.name} `}
                value={draft.exceptions[thing.id] ?? null}
                likeOthers
                receiver={draft.receiver}
                onChange={(choice) => onThing(thing.id, choice)}
              />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** The first few by name. Without any, the kind is decided on for the end of the account. */
function namesOf(things: readonly Thing[]): string {
  if (things.length === 0) return "现在没有，到期时如果有就这样处理";
  const shown = things.slice(0, 3).map(({ name }) => name);
  return things.length > 3 ? `${shown.join("、")} 等` : shown.join("、");
}

function factsOf(holdings: Holdings, kind: PlannedKind, id: string): string {
  if (kind === "instance") {
    const one = holdings.instances.find((instance) => instance.id === id);
    if (!one) return "";
    const cards = one.gpus > 0 ? `${one.gpus} 张卡` : "";
    const facts = [instanceStates[one.state].label, one.server, cards, one.unreachable && "服务器失联"];
    return facts.filter(Boolean).join(" · ");
  }
  if (kind === "dataset") {
    const one = holdings.datasets.find((dataset) => dataset.id === id);
    const size = one?.size == null ? "" : formatSize(one.size);
    return [one?.title, size].filter(Boolean).join(" · ");
  }
  if (kind === "image") {
    const one = holdings.images.find((image) => image.id === id);
    return one ? formatSize(one.size) : "";
  }
  return "";
}
