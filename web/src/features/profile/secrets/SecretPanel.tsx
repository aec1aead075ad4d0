// The user's secrets of one kind for programs: purpose, last use, and end.
import type { UseMutationResult, UseQueryResult } from "@tanstack/react-query";
import { App, Button, Skeleton } from "antd";
import { type ReactNode, useState } from "react";
import type { ApiError } from "@/shared/api/problem";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { FactRow } from "@/shared/ui/FactRow";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import styles from "./SecretPanel.module.css";

interface Secret {
  id: string;
  name: string;
  created: string;
  lastUsed?: string | null;
  /** Null if it does not expire. */
  expires?: string | null;
}

interface SecretPanelProps<Row extends Secret> {
  /** 访问令牌 */
  kind: string;
  /** Their purpose. */
  note: ReactNode;
  query: UseQueryResult<{ items: Row[] }>;
  /** 新建, 添加 */
  newVerb?: string;
  /** 撤销, 删除 */
  verb: string;
  remove: UseMutationResult<unknown, ApiError, string>;
  /** The consequence for programs when it is removed. */
  loss: string;
  /** Beside the name. */
  tags?: (row: Row) => ReactNode;
  /** The last fact, for what has no end. */
  last?: (row: Row) => ReactNode;
  onNew: () => void;
}

export function SecretPanel<Row extends Secret>(props: SecretPanelProps<Row>) {
  const { kind, note, newVerb = "新建", verb, remove, onNew } = props;
  const { message } = App.useApp();
  const [leaving, setLeaving] = useState<Row | null>(null);
  const [asking, setAsking] = useState(false);

  function confirm() {
    if (!leaving) return;
    remove.mutate(leaving.id, {
      onSuccess: () => message.success(`已${verb} ${leaving.name}`, 1.5),
      onError: (error) => message.error(error.message, 2),
      onSettled: () => setAsking(false),
    });
  }

  return (
    <Panel title={kind} extra={<Button onClick={onNew}>{joined(newVerb, kind)}</Button>} padded>
      <p className={styles.note}>{note}</p>
      <Rows
        {...props}
        onRemove={(row) => {
          setLeaving(row);
          setAsking(true);
        }}
      />
      <ConfirmDanger
        open={asking}
        title={`${joined(verb, kind)} ${leaving?.name ?? ""}？`}
        verb={verb}
        submitting={remove.isPending}
        onConfirm={confirm}
        onClose={() => setAsking(false)}
      >
        {props.loss}
      </ConfirmDanger>
    </Panel>
  );
}

interface RowsProps<Row extends Secret> extends SecretPanelProps<Row> {
  onRemove: (row: Row) => void;
}

function Rows<Row extends Secret>({ kind, query, verb, tags, last, onRemove }: RowsProps<Row>) {
  if (!query.data) {
    return query.error ? (
      <ErrorPanel title={`${kind}没有取到`} error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <Skeleton active title={false} paragraph={{ rows: 2 }} />
    );
  }
  if (query.data.items.length === 0) return <EmptyPanel icon="key" text={joined("还没有", kind)} />;
  return (
    <ul aria-label={kind}>
      {query.data.items.map((row) => (
        <FactRow
          key={row.id}
          name={row.name}
          tags={tags?.(row)}
          over={isOver(row)}
          facts={[created(row), used(row), last ? last(row) : ending(row)]}
          action={
            <Button type="text" danger aria-label={`${verb} ${row.name}`} onClick={() => onRemove(row)}>
              {verb}
            </Button>
          }
        />
      ))}
    </ul>
  );
}

/** A space goes between Chinese and Latin. */
const joined = (before: string, kind: string) =>
  /^[A-Za-z]/.test(kind) ? `${before} ${kind}` : before + kind;

const isOver = ({ expires }: Secret) => !!expires && new Date(expires).getTime() <= Date.now();

const created = ({ created }: Secret) => (
  <>
    创建于 <TimeText time={created} />
  </>
);

const used = ({ lastUsed }: Secret) =>
  lastUsed ? (
    <>
      最近使用 <TimeText time={lastUsed} />
    </>
  ) : (
    "还没有用过"
  );

const ending = (secret: Secret) =>
  secret.expires ? (
    <>
      {isOver(secret) ? "已过期：" : "有效期至 "}
      <TimeText time={secret.expires} />
    </>
  ) : (
    "不过期"
  );
