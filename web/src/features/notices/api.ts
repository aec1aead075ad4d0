// Answering a work order from its notice.
import { portal, unwrap } from "@/shared/api/client";
import { useAffecting } from "@/shared/list/use-affecting";
import { noticesKey } from "@/shared/notices/api";
import { worksheetsKey } from "@/shared/worksheets/api";

export const useReply = () =>
  useAffecting([worksheetsKey, noticesKey], ({ id, content }: { id: string; content: string }) =>
    unwrap(portal.POST("/api/worksheets/{id}/replies", { params: { path: { id } }, body: { content } })),
  );
