// Rows of both lists of servers unfold to the same.
import { Suspense } from "react";
import type { ServerView } from "@/shared/compute/api";
import { latePart } from "@/shared/parts/late-part";
import type { Expansion } from "@/shared/table/data-table";
import { TableSkeleton } from "@/shared/table/TableSkeleton";

// Loaded with the first opened row: the charts are large.
const ServerMore = latePart(async () => (await import("./ServerMore")).ServerMore);

export const serverExpansion: Expansion<ServerView> = {
  nameOf: ({ name }) => name,
  render: (server) => (
    <Suspense fallback={<TableSkeleton rows={2} rowHeight={40} />}>
      <ServerMore server={server} />
    </Suspense>
  ),
};
