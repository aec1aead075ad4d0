// 数据集详情: a dataset's description, files, use, and versions.
import { useQuery } from "@tanstack/react-query";
import { Alert, App, Button } from "antd";
import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { usePanel } from "@/shared/list/use-panel";
import { Markdown } from "@/shared/markdown/Markdown";
import { RowActions } from "@/shared/table/RowActions";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { usePhone } from "@/shared/ui/usePhone";
import { type DatasetDetail, datasetQuery, useCountDataset } from "./api";
import { DatasetFacts } from "./DatasetFacts";
import { DatasetFiles } from "./DatasetFiles";
import styles from "./DatasetInfo.module.css";
import { DatasetUsers } from "./DatasetUsers";
import { DeleteDataset } from "./DeleteDataset";
import { EditDatasetDrawer } from "./EditDatasetDrawer";
import { createLink, diskLink, listLink } from "./links";
import { titleOf } from "./text";
import { Versions } from "./Versions";

const panels = ["edit"] as const;

export default function DatasetInfoPage() {
  const [address] = useSearchParams();
  const navigate = useNavigate();
  const id = address.get("dataset");
  if (id) return <DatasetInfo key={id} id={id} />;
  return (
    <Panel label="数据集详情">
      <EmptyPanel
        icon="dataset"
        text="没有说是哪个数据集"
        action={<Button onClick={() => navigate(listLink)}>数据集列表</Button>}
      />
    </Panel>
  );
}

function DatasetInfo({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(datasetQuery(id));
  const navigate = useNavigate();
  if (data) return <Shown dataset={data} />;
  return (
    <Panel label="数据集详情">
      {error?.status === 404 ? (
        <EmptyPanel
          icon="dataset"
          text="没有这个数据集，或者没有权限查看"
          action={<Button onClick={() => navigate(listLink)}>数据集列表</Button>}
        />
      ) : error ? (
        <ErrorPanel title="数据集没有取到" error={error} onRetry={() => void refetch()} />
      ) : (
        <TableSkeleton rows={8} rowHeight={32} />
      )}
    </Panel>
  );
}

function Shown({ dataset }: { dataset: DatasetDetail }) {
  const { name, title, path, state, fault, editable, description, instances } = dataset;
  const panel = usePanel(panels);
  const ready = state === "ready";
  // On a phone the top bar shows the kind of page.
  const phone = usePhone();
  return (
    <>
      <PageHeader
        named
        title={titleOf(dataset)}
        meta={phone ? titleOf(dataset) : title && name}
        actions={<Actions dataset={dataset} onEdit={() => panel.show("edit")} />}
      />
      {state === "preparing" && <Alert type="info" showIcon title="正在准备文件夹，完成后这里会更新" />}
      {fault && <Alert type={ready ? "warning" : "error"} showIcon title={fault} />}
      <div className={styles.columns}>
        <div className={styles.column}>
          <Panel title="介绍" padded>
            {description.trim() ? (
              <Markdown text={description} />
            ) : (
              <span className={styles.none}>
                {editable ? "还没有介绍，可在“编辑”里填写" : "所有者还没有填写介绍"}
              </span>
            )}
          </Panel>
          {ready && <DatasetFiles path={path} editable={editable} />}
        </div>
        <div className={styles.column}>
          <DatasetFacts dataset={dataset} />
          {ready && <Versions dataset={dataset} />}
          {instances && <DatasetUsers instances={instances} uses={dataset.uses} />}
        </div>
      </div>
      {editable && (
        <EditDatasetDrawer
          key={panel.opening}
          open={panel.name === "edit"}
          dataset={dataset}
          onClose={panel.close}
        />
      )}
    </>
  );
}

function Actions({ dataset, onEdit }: { dataset: DatasetDetail; onEdit: () => void }) {
  const { id, name, path, state, editable } = dataset;
  const navigate = useNavigate();
  const { message } = App.useApp();
  const count = useCountDataset();
  const [deleting, setDeleting] = useState(false);
  const unready = state === "ready" ? undefined : "文件夹还没有准备好";
  const foreign = editable ? undefined : "只有所有者和管理员可以";
  const recount = () =>
    count.mutate(id, {
      onSuccess: () => message.success("开始统计，完成后这里会更新", 1.5),
      onError: (error) => message.error(error.message, 2),
    });
  return (
    <>
      <Button
        icon={<Icon name="folder" size={14} />}
        disabled={unready !== undefined}
        title={unready}
        onClick={() => navigate(diskLink(`${path}/`))}
      >
        在网盘中打开
      </Button>
      <Button
        type="primary"
        disabled={unready !== undefined}
        title={unready}
        onClick={() => navigate(createLink(name))}
      >
        创建实例
      </Button>
      <RowActions
        name={name}
        more={[
          { key: "edit", label: "编辑", disabledReason: foreign, onClick: onEdit },
          { key: "count", label: "重新统计", disabledReason: foreign ?? unready, onClick: recount },
          {
            key: "delete",
            label: "删除",
            danger: true,
            disabledReason: foreign ?? (state === "preparing" ? "正在准备文件夹" : undefined),
            onClick: () => setDeleting(true),
          },
        ]}
      />
      <DeleteDataset
        dataset={deleting ? dataset : null}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate(listLink, { replace: true })}
      />
    </>
  );
}
