// The rows shown are from before: refreshing them failed. They stay, with the server's words above them.
import { Alert, Button } from "antd";
import type { Failure } from "./failure";

export function RefreshFailed({ error, onRetry }: { error: Failure; onRetry: () => void }) {
  return (
    <Alert
      type="warning"
      banner
      title={`没有刷新成功：${error.message}`}
      action={
        <Button type="text" onClick={onRetry}>
          重试
        </Button>
      }
    />
  );
}
