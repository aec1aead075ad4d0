// Before a frozen instance resumes: the full space, links to free some, and one button to resume.
import { useQuery } from "@tanstack/react-query";
import { Alert, App, Flex, Modal } from "antd";
import { diskUsageQuery } from "@/shared/api/disk-usage";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { LinkButton } from "@/shared/frame/LinkButton";
import { formatSize } from "@/shared/lib/numbers";
import { countedText } from "@/shared/lib/time";
import { isAdmin, useSession } from "@/shared/stores/session";
import { Icon } from "@/shared/theme/Icon";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Meter } from "@/shared/ui/Meter";
import { type InstanceView, useGoOn } from "./api";
import { frozenLabels } from "./instance-state";

interface MakeRoomDialogProps {
  open: boolean;
  instance: InstanceView;
  onClose: () => void;
}

export function MakeRoomDialog({ open, instance, onClose }: MakeRoomDialogProps) {
  const { message } = App.useApp();
  const admin = useSession(isAdmin);
  const goOn = useGoOn();
  const { frozen, root } = instance;

  function run() {
    goOn.mutate(instance.id, {
      onSuccess: () => {
        message.success(`${instance.name} 继续运行`, 1.5);
        onClose();
      },
    });
  }

  return (
    <Modal
      open={open}
      title={`清理空间并继续：${instance.name}`}
      okText="继续运行"
      okButtonProps={{ loading: goOn.isPending }}
      cancelText="取消"
      width={480}
      closeIcon={<Icon name="close" />}
      destroyOnHidden
      onOk={run}
      onCancel={onClose}
      afterClose={goOn.reset}
    >
      <Flex vertical gap={12}>
        {frozen && <div>{frozenLabels[frozen]}，里面的程序停在原处，没有退出，文件都在。</div>}
        {frozen === "disk" && open && <HomeRoom owner={instance.owner.username} />}
        {frozen === "disk" && (
          <div>请删除网盘里不用的文件、数据集或版本，并清空回收站（回收站里的也占空间），然后继续运行。</div>
        )}
        {frozen === "group" && <div>请在网盘的组文件夹里删除不用的文件并清空回收站，然后继续运行。</div>}
        {frozen === "root" && root && (
          <RoomMeter label="系统盘" used={root.used} limit={root.limit} counted={root.counted} />
        )}
        {frozen === "root" && (
          <div>
            系统盘只能在实例里清理：继续运行后请尽快删除不用的文件，或移到网盘。仍然超过上限并继续写入时，会再次冻结，一天内不能再自己继续。
          </div>
        )}
        {frozen && frozen !== "root" && (
          <Flex gap={8}>
            <LinkButton to="/netdisk/files" icon={<Icon name="folder" size={14} />}>
              打开网盘
            </LinkButton>
            <LinkButton to="/netdisk/files/?place=trash" icon={<Icon name="trash" size={14} />}>
              打开回收站
            </LinkButton>
          </Flex>
        )}
        {admin && frozen !== "root" && <div>管理员可以直接继续运行，宽限期重新计算。</div>}
        {goOn.error && <Alert type="error" showIcon title={goOn.error.message} />}
      </Flex>
    </Modal>
  );
}

/** The owner's use of the disk. */
function HomeRoom({ owner }: { owner: string }) {
  const admin = useSession(isAdmin);
  const host = useQuery(publicSettingsQuery).data?.storageHost ?? "";
  const usage = useQuery(diskUsageQuery(host, admin ? `/home/${owner}/` : "/home/"));
  if (usage.isError && !usage.data)
    return <ErrorPanel title="用量没有取到" error={usage.error} onRetry={() => void usage.refetch()} />;
  if (!usage.data) return <div aria-busy="true">正在查询用量…</div>;
  const { used, quota, total, counted } = usage.data;
  return <RoomMeter label="网盘" used={used} limit={quota || total} counted={counted} />;
}

interface RoomMeterProps {
  label: string;
  used: number;
  limit: number;
  counted: string;
}

function RoomMeter({ label, used, limit, counted }: RoomMeterProps) {
  return (
    <Flex vertical gap={4}>
      <div>
        {label}已用 {formatSize(used)}，共 {formatSize(limit)}（{countedText(counted)}）
      </div>
      <Meter label={`${label}已用空间`} used={used} limit={limit} mine />
    </Flex>
  );
}
