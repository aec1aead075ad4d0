// In place of a part of the page whose files did not come: says why, loads the page anew by itself once, and again when
// the portal is back or on 重试.
import { Button } from "antd";
import { useEffect, useState } from "react";
import { checkLine, checkLineNow, useLine } from "@/shared/api/line";
import { reloadPage } from "@/shared/lib/reload";
import { Icon } from "@/shared/theme/Icon";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { answerMissingPart, type PartState, reloadSoon } from "./missing-part";

const words: Record<PartState, { text: string; note: string }> = {
  updated: { text: "已更新，正在刷新", note: "打开的标签页会保留。" },
  broken: { text: "页面加载不完整，正在刷新", note: "打开的标签页会保留。" },
  offline: { text: "离线，页面文件加载失败", note: "恢复连接后自动打开，也可以重试。" },
  missing: { text: "页面文件加载失败", note: "刷新后仍然失败，请稍后重试；多次出现请联系管理员。" },
};

export function MissingPart() {
  const [state, setState] = useState<PartState | null>(null);
  const [trying, setTrying] = useState(false);
  const lost = useLine((line) => line.lost);
  const reloads = state === "updated" || state === "broken";

  useEffect(() => {
    let shown = true;
    void answerMissingPart().then((found) => {
      if (!shown) return;
      setState(found);
      if (found === "offline") checkLineNow();
    });
    return () => {
      shown = false;
    };
  }, []);
  useEffect(() => (reloads ? reloadSoon() : undefined), [reloads]);
  useEffect(() => {
    if (state === "offline" && !lost) reloadPage();
  }, [state, lost]);

  async function retry() {
    setTrying(true);
    // The browser's own error page would not come back by itself.
    if (await checkLine()) reloadPage();
    else setState("offline");
    setTrying(false);
  }

  if (!state) return null;
  return (
    <div role={reloads ? "status" : "alert"}>
      <EmptyPanel
        icon={state === "offline" ? "unlink" : "refresh"}
        {...words[state]}
        action={
          !reloads && (
            <Button
              type="primary"
              loading={trying}
              icon={<Icon name="refresh" size={14} />}
              onClick={() => void retry()}
            >
              重试
            </Button>
          )
        }
      />
    </div>
  );
}
