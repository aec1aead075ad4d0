// Nothing exists at this path of a share: the link has ended, or an entry of the folder was removed.
import { Button } from "antd";
import { Link } from "react-router";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { diskRoot } from "../disk-paths";
import { ShareCard } from "./ShareFrame";

interface GoneProps {
  path: string;
  /** The shared folder's own page. */
  root?: string;
  onRetry?: () => void;
}

export function Gone({ path, root, onRetry }: GoneProps) {
  const below = path !== diskRoot && root !== undefined;
  return (
    <ShareCard title={below ? "文件未找到" : "分享不存在或已失效"}>
      <div role="alert">
        <EmptyPanel
          icon={below ? "search" : "unlink"}
          text={below ? "文件未找到" : "分享不存在或已失效"}
          note={
            below
              ? "这里没有这个文件或文件夹，可能已被移动、改名或删除"
              : "链接可能已到期或被删除，分享的文件也可能已被移动或删除"
          }
          action={
            below ? (
              <Link to={root}>回到分享的根目录</Link>
            ) : (
              onRetry && (
                <Button icon={<Icon name="refresh" size={14} />} onClick={onRetry}>
                  重试
                </Button>
              )
            )
          }
        />
      </div>
    </ShareCard>
  );
}
