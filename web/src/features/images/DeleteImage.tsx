// Deletes an image: the freed space, and instances that forbid it, are shown before.
import { useQuery } from "@tanstack/react-query";
import { App, Modal } from "antd";
import { useState } from "react";
import type { Image } from "@/shared/images/api";
import { formatSize } from "@/shared/lib/numbers";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { deletionQuery, useDeleteImage } from "./api";
import { placesText } from "./ImageCells";

export function DeleteImage({ image, onClose }: { image: Image | null; onClose: () => void }) {
  const { message, modal } = App.useApp();
  const remove = useDeleteImage();
  // The words stay while the dialogue fades out.
  const [last, setLast] = useState(image);
  if (image && image !== last) setLast(image);
  const deletion = useQuery({ ...deletionQuery(last?.id ?? ""), enabled: image !== null });
  if (!last) return null;
  const users = deletion.data?.instances ?? [];
  if (users.length > 0)
    return (
      <Modal
        open={image !== null}
        title={`镜像 ${last.image} 不能删除`}
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
      open={image !== null}
      title={`删除镜像 ${last.image}？`}
      verb="删除"
      shortName={last.tag}
      submitting={remove.isPending}
      onClose={onClose}
      onConfirm={() =>
        remove.mutate(last.id, {
          onSuccess: ({ bytes, left }) => {
            const freed = `已删除镜像 ${last.image}，释放 ${formatSize(bytes)}`;
            if (left.length === 0) message.success(freed, 1.5);
            else
              modal.warning({
                title: freed,
                content: `这些地方没有删除：${left.join("；")}`,
                okText: "知道了",
              });
          },
          // A dialogue, since the list of users cannot be read within a toast's two seconds.
          onError: (error) => modal.error({ title: "没有删除", content: error.message, okText: "知道了" }),
          onSettled: onClose,
        })
      }
    >
      镜像会从 {placesText(last)} 删除，不能恢复。
      {deletion.data && `将释放 ${formatSize(deletion.data.bytes)}。`}
    </ConfirmDanger>
  );
}
