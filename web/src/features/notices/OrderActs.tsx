// What can be done about a work order from its notice: a reply, and for administrators the decision on a request. The
// whole thread is on its own page.
import { useQuery } from "@tanstack/react-query";
import { Button, Flex } from "antd";
import { useState } from "react";
import type { Notice, NoticeKind } from "@/shared/notices/api";
import { useSession } from "@/shared/stores/session";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { worksheetsQuery } from "@/shared/worksheets/api";
import { worksheetQuery } from "@/shared/worksheets/decide";
import { FiguresCard } from "@/shared/worksheets/FiguresCard";
import { type Standing, standingOf } from "@/shared/worksheets/standing";
import { ReplyForm } from "./ReplyForm";

/** After these the user may want to reply. */
const answerable: readonly NoticeKind[] = ["worksheet_created", "worksheet_replied", "worksheet_assigned"];

export const isAnswerable = ({ kind }: Pick<Notice, "kind">) => answerable.includes(kind);

/** One question for all orders of the page. */
const openOrders = worksheetsQuery({ page: 1, size: 200, sort: "Updated", order: "desc", open: true });

interface OrderActsProps {
  notice: Pick<Notice, "objectId" | "title">;
  /** The order was dealt with. */
  onDone: () => void;
}

export function OrderActs({ notice: { objectId, title }, onDone }: OrderActsProps) {
  const [shown, setShown] = useState<"reply" | "request" | null>(null);
  const session = useSession();
  const order = useQuery(openOrders).data?.Worksheets.find(({ id }) => id === objectId);
  const standing = order && standingOf(order, session);
  const close = () => setShown(null);
  if (shown === "reply") return <ReplyForm id={objectId} title={title} onDone={onDone} onClose={close} />;
  return (
    <>
      {shown === "request" && standing?.decides && <Request id={objectId} standing={standing} />}
      <Flex gap={8}>
        <Button aria-label={`回复：${title}`} onClick={() => setShown("reply")}>
          回复
        </Button>
        {standing?.decides && shown !== "request" && (
          <Button aria-label={`审批：${title}`} onClick={() => setShown("request")}>
            审批
          </Button>
        )}
      </Flex>
    </>
  );
}

/** What is asked for, with the buttons that decide on it. */
function Request({ id, standing }: { id: string; standing: Standing }) {
  const { data, error, refetch } = useQuery(worksheetQuery(id));
  if (data) return <FiguresCard one={data} standing={standing} />;
  return error && <ErrorPanel title="工单加载失败" error={error} onRetry={() => void refetch()} />;
}
