// Deletes a dataset: its users, and what happens to its files, are shown before.
import { App, Modal } from "antd";
import { useState } from "react";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { type DatasetDetail, useDeleteDataset } from "./api";
import { contentText } from "./text";

interface DeleteDatasetProps {
  dataset: DatasetDetail | null;
  onClose: () => void;
  onDeleted: () => void;
}

export function DeleteDataset({ dataset, onClose, onDeleted }: DeleteDatasetProps) {
  const { message, modal } = App.useApp();
  const remove = useDeleteDataset();
  // The words stay while the dialogue fades out.
  const [last, setLast] = useState(dataset);
  if (dataset && dataset !== last) setLast(dataset);
  if (!last) return null;
  const users = [...new Set((last.instances ?? []).map(({ instance }) => instance))];
  if (users.length > 0)
    return (
      <Modal
        open={dataset !== null}
        title={`数据集 ${last.name} 不能删除`}
        okText="知道了"
        cancelButtonProps={{ hidden: true }}
        onOk={onClose}
        onCancel={onClose}
      >
        还有 {users.length} 个实例在用它：{users.join("、")}。释放这些实例后才能删除。
      </Modal>
    );
  return (
    <ConfirmDanger
      open={dataset !== null}
      title={`删除数据集 ${last.name}？`}
      verb="删除"
      shortName={last.name}
      submitting={remove.isPending}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(last.id, {
          onSuccess: () => {
            message.success(`已删除数据集 ${last.name}`, 1.5);
            onDeleted();
          },
          // A dialogue, since the list of users cannot be read within a toast's two seconds.
          onError: (error) => modal.error({ title: "没有删除", content: error.message, okText: "知道了" }),
          onSettled: onClose,
        })
      }
    >
      {last.state === "failed"
        ? "它没有自己的文件夹，不会删除任何文件。"
        : `文件夹（${contentText(last)}）会移到网盘的回收站，由管理员恢复；${last.versions} 个版本会直接删除，不能恢复。`}
    </ConfirmDanger>
  );
}
