// 工单系统: the list of orders, and the chosen one beside it; on a phone only one of the two.
import { useQuery } from "@tanstack/react-query";
import { Button, ConfigProvider } from "antd";
import { useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { useListParams } from "@/shared/list/use-list-params";
import { usePanel } from "@/shared/list/use-panel";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { usePhone } from "@/shared/ui/usePhone";
import { type WorksheetDetail, type WorksheetFilter, worksheetsQuery } from "@/shared/worksheets/api";
import { worksheetQuery } from "@/shared/worksheets/decide";
import { isKind } from "@/shared/worksheets/words";
import { useMarkRead } from "./api";
import { Conversation } from "./Conversation";
import { NewWorksheetDrawer } from "./NewWorksheetDrawer";
import { WorksheetList } from "./WorksheetList";
import styles from "./WorksheetsPage.module.css";

const panels = ["new"] as const;

/** The topic of a new order, in the URL. */
const asked = "ask";

/** Its prefilled content, in the URL. */
const prefilled = ["title", "content", "instance"] as const;

const filters = ["state", "type", "mine"] as const;

/** The filters of the URL's `state`; the first is the default. */
const states: Readonly<Record<string, Pick<WorksheetFilter, "open" | "state">>> = {
  open: { open: true },
  done: { state: "done" },
  closed: { state: "closed" },
  all: {},
};

export default function WorksheetsPage() {
  const [address, setAddress] = useSearchParams();
  const chosen = address.get("one");
  const list = useListParams({ sort: "Updated", order: "desc", filters });
  const panel = usePanel(panels);
  const phone = usePhone();
  const { page, size, sort, order, q } = list;
  const { type, mine, state = "open" } = list.filters;
  const worksheets = useQuery(
    worksheetsQuery({
      page,
      size,
      sort,
      order,
      ...states[state],
      ...(q && { q }),
      ...(isKind(type) && { type }),
      ...(mine && { mine: true }),
    }),
  );

  /** Shows this order, or none; closes open panels in the same navigation. */
  const show = (id: string | null) =>
    setAddress((old) => {
      const next = new URLSearchParams(old);
      for (const name of ["one", "panel", asked, ...prefilled]) next.delete(name);
      if (id) next.set("one", id);
      return next;
    });

  const about = address.get(asked);
  return (
    <ConfigProvider componentSize={phone ? "large" : undefined}>
      <div className={styles.page}>
        <h1 className={styles.title}>工单系统</h1>
        {!(phone && chosen) && (
          <WorksheetList
            query={worksheets}
            list={list}
            state={state}
            chosen={chosen}
            onShow={show}
            onAsk={() => panel.show("new")}
          />
        )}
        {chosen ? (
          <Chosen key={chosen} id={chosen} onBack={() => show(null)} />
        ) : (
          !phone && (
            <div className={styles.nothing}>
              <EmptyPanel icon="ticket" text="选择一个工单查看" note="或者新建一个，管理员会在这里回复" />
            </div>
          )
        )}
        <NewWorksheetDrawer
          key={panel.opening}
          open={panel.name === "new"}
          type={isKind(about) ? about : undefined}
          prefill={Object.fromEntries(
            prefilled.flatMap((name) => {
              const words = address.get(name);
              return words ? [[name, words]] : [];
            }),
          )}
          onClose={() => show(chosen)}
          onMade={(made) => show(made.id)}
        />
      </div>
    </ConfigProvider>
  );
}

function Chosen({ id, onBack }: { id: string; onBack: () => void }) {
  const phone = usePhone();
  const [deleting, setDeleting] = useState(false);
  // An order that is being deleted is not fetched again, although its lists are.
  const one = useQuery({ ...worksheetQuery(id), enabled: !deleting });
  useSeen(one.data);
  const retry = () => void one.refetch();
  if (one.data) {
    return (
      <Conversation
        one={one.data}
        error={one.error}
        onRetry={retry}
        onBack={onBack}
        onDeleting={setDeleting}
      />
    );
  }
  return (
    <div className={styles.nothing}>
      {one.error ? (
        <ErrorPanel title="工单没有取到" error={one.error} onRetry={retry} />
      ) : (
        <TableSkeleton rows={6} rowHeight={48} />
      )}
      {phone && (
        <Button type="link" onClick={onBack}>
          返回列表
        </Button>
      )}
    </div>
  );
}

/** Marks the shown entries as read. */
function useSeen(one: WorksheetDetail | undefined) {
  const { mutate } = useMarkRead();
  const { id, news, unread } = one ?? {};
  useEffect(() => {
    if (id && news !== undefined && unread) mutate({ id, news });
  }, [mutate, id, news, unread]);
}
