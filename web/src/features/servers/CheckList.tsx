// 检测结果: the results of a server's checks, with advice on failures.
import { App, Button } from "antd";
import { Icon } from "@/shared/theme/Icon";
import { Checks } from "@/shared/ui/Checks";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { Panel } from "@/shared/ui/Panel";
import { type Check, useCheckServer } from "./api";

interface CheckListProps {
  /** The server's. */
  id: string;
  checks: readonly Check[];
}

export function CheckList({ id, checks }: CheckListProps) {
  const { message } = App.useApp();
  const check = useCheckServer();
  const shown = check.data ?? checks;
  const run = (
    <Button
      size="small"
      icon={<Icon name="refresh" size={14} />}
      loading={check.isPending}
      onClick={() => check.mutate(id, { onError: (error) => message.error(error.message, 2) })}
    >
      {shown.length === 0 ? "开始检测" : "重新检测"}
    </Button>
  );
  return (
    <Panel title="检测结果" extra={run}>
      {shown.length === 0 ? (
        <EmptyPanel icon="shield" text="还没有检测过" note="检测会逐项证明引擎、存储、显卡和端口可用" />
      ) : (
        <Checks checks={shown} />
      )}
    </Panel>
  );
}
