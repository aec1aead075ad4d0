// The links to one file or folder: existing ones, and a new one.
import { useQuery } from "@tanstack/react-query";
import { App, Modal } from "antd";
import { useEffect } from "react";
import { useSession } from "@/shared/stores/session";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import type { Item } from "../api";
import { useDisk } from "../disk-context";
import { shownName } from "../disk-paths";
import { type NewShare, type ShareLink, sharesOfQuery, useCreateShare } from "./api";
import { rememberPassword } from "./known-passwords";
import { NewShareForm } from "./NewShareForm";
import styles from "./SharePrompt.module.css";
import { ShareRow } from "./ShareRow";

interface SharePromptProps {
  item: Item;
  onDelete: (link: ShareLink) => void;
  onClose: () => void;
}

export function SharePrompt({ item, onDelete, onClose }: SharePromptProps) {
  const { host, viewer } = useDisk();
  const me = useSession((session) => session.id);
  const { message } = App.useApp();
  const { data: links, error, refetch } = useQuery(sharesOfQuery(host, item.path));
  const create = useCreateShare(host);
  const permanentReason = (collects: boolean) =>
    links?.some(
      ({ expire, userID, collect }) => expire === 0 && userID === me && (collect !== undefined) === collects,
    )
      ? "已有永久链接，删除后才能再建"
      : undefined;
  const collects = item.isDir && viewer.perm.create;

  useEffect(() => {
    if (error) message.error(`分享链接没有取到：${error.message}`, 2);
  }, [error, message]);

  function add(share: Omit<NewShare, "path">, done: () => void) {
    create.mutate(
      { path: item.path, ...share },
      {
        onSuccess: ({ hash, expire }) => {
          if (share.password !== "") rememberPassword(hash, share.password);
          done();
          const over = expire !== 0 && expire * 1000 <= Date.now();
          if (over) message.info("有效期为 0，链接已经过期", 1);
          else message.success("分享链接已创建", 1.5);
        },
        onError: (cause) => message.error(`分享失败：${cause.message}`, 2),
      },
    );
  }

  return (
    <Modal
      open
      title={`分享 ${shownName(item.name)}`}
      width={520}
      closeIcon={<Icon name="close" />}
      footer={null}
      onCancel={onClose}
    >
      {!links && !error && <TableSkeleton rows={2} rowHeight={44} />}
      {!links && error && (
        <ErrorPanel title="分享链接没有取到" error={error} onRetry={() => void refetch()} />
      )}
      {links?.length === 0 && <p className={styles.none}>还没有链接。拿到链接的人不用登录就能查看和下载。</p>}
      {links && links.length > 0 && (
        <ul className={styles.links} aria-label="已有的分享链接">
          {links.map((link) => (
            <ShareRow
              key={link.hash}
              host={host}
              link={link}
              owner={link.userID === me ? undefined : link.username}
              onDelete={() => onDelete(link)}
            />
          ))}
        </ul>
      )}
      <NewShareForm
        submitting={create.isPending}
        permanentReason={permanentReason(false)}
        {...(collects && { collecting: { permanentReason: permanentReason(true) } })}
        onCreate={add}
      />
    </Modal>
  );
}
