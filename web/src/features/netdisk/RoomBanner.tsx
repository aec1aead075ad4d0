// Above the files, on phones as well: the space is nearly or completely used up, with the consequences.
import { Alert } from "antd";
import { formatSize } from "@/shared/lib/numbers";
import { countedText } from "@/shared/lib/time";
import type { Room } from "./DiskSidebar";

const NEAR = 0.9;

export function RoomBanner({ room }: { room: Room | undefined }) {
  if (!room || room.quota === 0 || room.used < room.quota * NEAR) return null;
  const { used, quota, counted } = room;
  const amount = `已用 ${formatSize(used)}，共 ${formatSize(quota)}，${countedText(counted)}`;
  return used < quota ? (
    <Alert
      type="warning"
      banner
      title={`空间快用完了（${amount}）。用完后不能再上传，也不能启动实例，请清理不用的文件和回收站。`}
    />
  ) : (
    <Alert
      type="error"
      banner
      title={`空间已用完（${amount}）。不能再上传和启动实例，仍在写入的实例可能会被冻结。请删除不用的文件并清空回收站，或申请更多配额。`}
    />
  );
}
