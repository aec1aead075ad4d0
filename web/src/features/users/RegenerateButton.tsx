// A button inside a password field: generates another one.
import { Button } from "antd";

export function RegenerateButton({ onClick }: { onClick: () => void }) {
  return (
    // Low enough not to stretch the field around it.
    <Button type="text" size="small" style={{ height: 22, marginInlineEnd: -6 }} onClick={onClick}>
      重新生成
    </Button>
  );
}
