// The versions of a dataset: its content at some time, usable like the dataset itself.
import { useQuery } from "@tanstack/react-query";
import { App, Button, Pagination } from "antd";
import { useState } from "react";
import { RowActions } from "@/shared/table/RowActions";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { CopyText } from "@/shared/ui/CopyText";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { TimeText } from "@/shared/ui/TimeText";
import {
  type DatasetDetail,
  type DatasetVersion,
  useDeleteVersion,
  versionsQuery,
  versionsShown,
} from "./api";
import styles from "./DatasetInfo.module.css";
import { DifferenceDialog } from "./DifferenceDialog";
import { NewVersionDrawer } from "./NewVersionDrawer";
import { contentText } from "./text";
import { keptByLabels } from "./words";

export function Versions({ dataset: { id, name, editable } }: { dataset: DatasetDetail }) {
  const [page, setPage] = useState(1);
  const [creating, setCreating] = useState({ open: false, opening: 0 });
  const [compared, setCompared] = useState<DatasetVersion | null>(null);
  const [deleting, setDeleting] = useState<DatasetVersion | null>(null);
  const { data, error, refetch } = useQuery(versionsQuery(id, page));
  const busy = data?.items.some(({ state }) => state === "preparing");
  return (
    <Panel
      title="版本"
      padded
      extra={
        editable && (
          <Button
            icon={<Icon name="plus" size={14} />}
            disabled={busy}
            title={busy ? "上一个版本还在创建" : undefined}
            onClick={() => setCreating(({ opening }) => ({ open: true, opening: opening + 1 }))}
          >
            新建版本
          </Button>
        )
      }
    >
      {!data && error && <ErrorPanel title="版本没有取到" error={error} onRetry={() => void refetch()} />}
      {!data && !error && <TableSkeleton rows={2} rowHeight={56} />}
      {data?.items.length === 0 && (
        <span className={styles.none}>还没有版本。版本是内容在某一刻的只读副本，之后的改动不影响它。</span>
      )}
      {data && data.items.length > 0 && (
        <ul className={styles.rows} aria-label="版本">
          {data.items.map((version) => (
            <Version
              key={version.number}
              version={version}
              editable={editable}
              onCompare={() => setCompared(version)}
              onDelete={() => setDeleting(version)}
            />
          ))}
        </ul>
      )}
      {data && data.total > versionsShown && (
        <div className={styles.foot}>
          <Pagination
            size="small"
            simple
            current={page}
            pageSize={versionsShown}
            total={data.total}
            onChange={setPage}
          />
        </div>
      )}
      <NewVersionDrawer
        key={creating.opening}
        open={creating.open}
        dataset={{ id, name }}
        onClose={() => setCreating(({ opening }) => ({ open: false, opening }))}
      />
      <DifferenceDialog dataset={id} version={compared} onClose={() => setCompared(null)} />
      <DeleteVersion dataset={id} version={deleting} onClose={() => setDeleting(null)} />
    </Panel>
  );
}

interface VersionProps {
  version: DatasetVersion;
  editable: boolean;
  onCompare: () => void;
  onDelete: () => void;
}

function Version({ version, editable, onCompare, onDelete }: VersionProps) {
  const { number, note, state, fault, path, keptBy, added, changed, removed, username, created } = version;
  const ready = state === "ready";
  return (
    <li className={styles.version}>
      <div className={styles.versionHead}>
        <strong>v{number}</strong>
        <RowActions
          name={`版本 v${number}`}
          first={ready ? [{ key: "difference", label: "差异", onClick: onCompare }] : []}
          more={[
            {
              key: "delete",
              label: "删除",
              danger: true,
              disabledReason: !editable
                ? "只有所有者和管理员可以"
                : state === "preparing"
                  ? "正在创建"
                  : undefined,
              onClick: onDelete,
            },
          ]}
        />
      </div>
      {note && <p className={styles.text}>{note}</p>}
      {state === "preparing" && <span className={styles.none}>正在创建…</span>}
      {fault && <span className={styles.failed}>{fault}</span>}
      {ready && (
        <>
          <div className={styles.path}>
            <code>{path}</code>
            <CopyText text={path} label={`复制版本 v${number} 的路径`} />
          </div>
          <div className={styles.small}>
            <span>{contentText(version)}</span>
            <span>
              新增 {added} · 修改 {changed} · 删除 {removed}
            </span>
          </div>
          {keptBy && <div className={styles.note}>{keptByLabels[keptBy]}</div>}
        </>
      )}
      <div className={styles.small}>
        <span>{username}</span>
        <TimeText time={created} />
      </div>
    </li>
  );
}

interface DeleteVersionProps {
  dataset: string;
  version: DatasetVersion | null;
  onClose: () => void;
}

function DeleteVersion({ dataset, version, onClose }: DeleteVersionProps) {
  const { message, modal } = App.useApp();
  const remove = useDeleteVersion(dataset);
  // The words stay while the dialogue fades out.
  const [last, setLast] = useState(version);
  if (version && version !== last) setLast(version);
  if (!last) return null;
  return (
    <ConfirmDanger
      open={version !== null}
      title={`删除版本 v${last.number}？`}
      verb="删除"
      shortName={`v${last.number}`}
      submitting={remove.isPending}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(last.number, {
          onSuccess: () => message.success(`已删除版本 v${last.number}`, 1.5),
          onError: (error) => modal.error({ title: "没有删除", content: error.message, okText: "知道了" }),
          onSettled: onClose,
        })
      }
    >
      {last.path} 会直接删除，不能恢复。数据集本身和其他版本不受影响。
    </ConfirmDanger>
  );
}
