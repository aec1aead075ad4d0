// In place of a folder's entries: it is empty, or why it could not be opened.
import { Button, Flex } from "antd";
import { Link } from "react-router";
import { media, useMediaQuery } from "@/shared/lib/use-media-query";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import { CopyText } from "@/shared/ui/CopyText";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import type { Failure } from "@/shared/ui/failure";
import type { Permit } from "../actions";
import { diskRoot, filesAddress } from "../disk-paths";

export function EmptyFolder({ change, onUpload }: { change: Permit; onUpload: () => void }) {
  const open = !change.hidden && change.reason === undefined;
  const touch = useMediaQuery(media.touch);
  return (
    <EmptyPanel
      icon="folder"
      text="这里有点冷清"
      note={open ? (touch ? undefined : "拖入文件或文件夹即可上传") : change.reason}
      action={
        open && (
          <Button icon={<Icon name="upload" size={14} />} onClick={onUpload}>
            上传
          </Button>
        )
      }
    />
  );
}

interface Words {
  icon: IconName;
  text: string;
  note: string;
}

const notFound: Words = {
  icon: "search",
  text: "文件未找到",
  note: "这里没有这个文件或文件夹，可能已被移动、改名或删除",
};
const forbidden: Words = { icon: "lock", text: "没有权限", note: "你没有访问这个文件或文件夹的权限" };
const internal: Words = { icon: "alert", text: "服务器出了问题，或路径不存在", note: "请重试，或返回主目录" };

function wordsFor(status: number): Words {
  if (status === 404) return notFound;
  return status === 403 ? forbidden : internal;
}

/** The folder does not exist any more, or not for this user: its old listing would only mislead. */
export const isLost = (error: { status: number } | null) => error?.status === 404 || error?.status === 403;

interface LoadFailureProps {
  error: Failure & { status: number };
  onRetry: () => void;
}

export function LoadFailure({ error, onRetry }: LoadFailureProps) {
  const words = wordsFor(error.status);
  return (
    <div role="alert">
      <EmptyPanel
        icon={words.icon}
        text={words.text}
        note={words === internal ? `${words.note}：${error.message}` : words.note}
        action={
          <Flex gap={8} wrap justify="center" align="center">
            <Link to={filesAddress(diskRoot)}>返回主目录</Link>
            <Button icon={<Icon name="refresh" size={14} />} onClick={onRetry}>
              重试
            </Button>
            {words === internal && error.requestId && <CopyText text={error.requestId}>复制请求号</CopyText>}
          </Flex>
        }
      />
    </div>
  );
}
