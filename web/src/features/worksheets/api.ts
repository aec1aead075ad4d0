// Asking and answering.
import { portal, unwrap } from "@/shared/api/client";
import type { components } from "@/shared/api/portal";
import { useAffecting } from "@/shared/list/use-affecting";
import { type WorksheetState, worksheetsKey } from "@/shared/worksheets/api";
import { draftOf, dropDraft } from "./drafts";

type Schemas = components["schemas"];
export type WorksheetForm = Schemas["WorksheetForm"];
export type WorksheetChange = Schemas["WorksheetChange"];

const named = (id: string) => ({ params: { path: { id } } });

const useChange = <Input, Output>(change: (input: Input) => Promise<Output>) =>
  useAffecting([worksheetsKey, "logs"], change);

export const useAsk = () =>
  useChange((body: WorksheetForm) => unwrap(portal.POST("/api/worksheets", { body })));

interface About<Body> {
  id: string;
  body: Body;
}

export const useChangeWorksheet = () =>
  useChange(({ id, body }: About<WorksheetChange>) =>
    unwrap(portal.PUT("/api/worksheets/{id}", { ...named(id), body })),
  );

/** Sends the draft of an order. The draft is dropped here, because the user may have moved to another order by then. */
export const useReply = () =>
  useChange(async ({ id, state }: { id: string; state?: WorksheetState | undefined }) => {
    const draft = draftOf(id);
    const attachments = draft.files.map((path) => ({ path }));
    const body = { content: draft.content, attachments, ...(state && { state }) };
    await unwrap(portal.POST("/api/worksheets/{id}/replies", { ...named(id), body }));
    dropDraft(id, draft);
  });

export const useDeleteWorksheet = () =>
  useChange((id: string) => unwrap(portal.DELETE("/api/worksheets/{id}", named(id))));

export const useMarkRead = () =>
  useChange(({ id, news }: { id: string; news: number }) =>
    unwrap(portal.PUT("/api/worksheets/{id}/read", { ...named(id), body: { news } })),
  );
