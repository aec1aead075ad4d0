// The errors of this page since it was opened. Only in this browser: nothing is sent anywhere.
import { Button } from "antd";
import { useErrorLog } from "@/shared/stores/error-log";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";
import { ErrorLogTable } from "./ErrorLogTable";

export default function ErrorLogPage() {
  const { entries, clear } = useErrorLog();
  return (
    <>
      <PageHeader
        title="错误日志"
        meta={`共 ${entries.length} 条 · 只记在这个浏览器里，关闭页面后消失`}
        actions={
          <Button icon={<Icon name="trash" size={14} />} disabled={entries.length === 0} onClick={clear}>
            清空
          </Button>
        }
      />
      <Panel label="错误日志">
        {entries.length === 0 ? (
          <EmptyPanel icon="success" text="没有错误" note="页面打开以来没有出过错。" />
        ) : (
          <ErrorLogTable entries={entries} />
        )}
      </Panel>
    </>
  );
}
