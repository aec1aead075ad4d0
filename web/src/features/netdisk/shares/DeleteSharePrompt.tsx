// The second step before a link ends.
import { App } from "antd";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { nameOf, shownName } from "../disk-paths";
import { type ShareLink, useDeleteShare } from "./api";
import { lastingText } from "./expiry";

interface DeleteSharePromptProps {
  host: string;
  link: ShareLink;
  /** Deleted, refused or left alone. */
  onClose: () => void;
}

export function DeleteSharePrompt({ host, link, onClose }: DeleteSharePromptProps) {
  const { message } = App.useApp();
  const remove = useDeleteShare(host);

  function confirm() {
    remove.mutate(link.hash, {
      onSuccess: () => {
        message.success("分享链接已删除", 1.5);
        onClose();
      },
      onError: (error) => {
        message.error(`删除失败：${error.message}`, 2);
        onClose();
      },
    });
  }

  return (
    <ConfirmDanger
      open
      title={`删除 ${shownName(nameOf(link.path))} 的分享链接？`}
      verb="删除"
      submitting={remove.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      这个链接（{lastingText(link.expire)}）立即失效，拿到它的人不能再{link.collect ? "上传" : "打开"}。
      {link.collect ? "已收到的文件不受影响。" : "文件本身不受影响。"}
    </ConfirmDanger>
  );
}
