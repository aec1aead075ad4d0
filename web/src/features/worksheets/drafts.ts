// Unsent replies, kept in memory while other orders and pages are shown.
import { create } from "zustand";
import { useSession } from "@/shared/stores/session";

export interface Draft {
  content: string;
  /** Paths of files of the network disk, as their author sees them. */
  files: readonly string[];
}

const nothing: Draft = { content: "", files: [] };

const useDrafts = create<Record<string, Draft>>()(() => ({}));

/** The draft to the order with this id. */
export const useDraft = (id: string): Draft => useDrafts((drafts) => drafts[id] ?? nothing);

export const draftOf = (id: string): Draft => useDrafts.getState()[id] ?? nothing;

export const setDraft = (id: string, part: Partial<Draft>) =>
  useDrafts.setState({ [id]: { ...draftOf(id), ...part } });

/** After sending. A draft that was changed since then stays. */
export function dropDraft(id: string, sent: Draft) {
  if (draftOf(id) === sent) useDrafts.setState({ [id]: nothing });
}

/** The drafts' user: they survive a session that ended and was renewed. */
let owner = 0;

useSession.subscribe(({ id }) => {
  if (id === 0 || id === owner) return;
  owner = id;
  useDrafts.setState({}, true);
});
