// Silencing an alert for some time, or letting it be heard again.
import { App, Button } from "antd";
import { DropMenu } from "@/shared/ui/DropMenu";
import { type Alert, useSilence, useUnsilence } from "./api";
import { kindLabels, silences } from "./words";

export function SilenceButton({ alert: { id, kind, name, state } }: { alert: Alert }) {
  const { message } = App.useApp();
  const silence = useSilence();
  const unsilence = useUnsilence();
  const what = `${kindLabels[kind]} ${name}`;
  const onError = (error: Error) => void message.error(error.message, 2);

  if (state === "silenced") {
    return (
      <Button
        type="text"
        size="small"
        aria-label={`取消静默 ${what}`}
        loading={unsilence.isPending}
        onClick={() =>
          unsilence.mutate(id, { onSuccess: () => void message.success("已取消静默", 1.5), onError })
        }
      >
        取消静默
      </Button>
    );
  }
  const resolved = state === "resolved";
  const items = silences.map(({ hours, label }) => ({
    key: String(hours),
    label,
    onClick: () =>
      silence.mutate(
        { id, hours },
        { onSuccess: () => void message.success(`已静默 ${label}`, 1.5), onError },
      ),
  }));
  return (
    <DropMenu menu={{ items }} trigger={["click"]} disabled={resolved}>
      <Button
        type="text"
        size="small"
        aria-label={`静默 ${what}`}
        disabled={resolved}
        title={resolved ? "告警已经恢复" : undefined}
        loading={silence.isPending}
      >
        静默
      </Button>
    </DropMenu>
  );
}
