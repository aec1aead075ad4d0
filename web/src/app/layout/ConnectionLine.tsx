// One line below the top bar while the portal does not answer: the fault, the age of the shown data, and a button to
// ask again. Nothing is shown while all is well.
import { useQueryClient } from "@tanstack/react-query";
import { Button } from "antd";
import { useSyncExternalStore } from "react";
import { checkLineNow, useLine } from "@/shared/api/line";
import { agoText } from "@/shared/lib/time";
import { useNow } from "@/shared/lib/use-now";
import { Icon } from "@/shared/theme/Icon";
import styles from "./ConnectionLine.module.css";

const SECOND = 1000;

function subscribeOnline(notify: () => void) {
  addEventListener("online", notify);
  addEventListener("offline", notify);
  return () => {
    removeEventListener("online", notify);
    removeEventListener("offline", notify);
  };
}

/** When the shown data was fetched last; 0 without any. */
function useShownSince(): number {
  const cache = useQueryClient().getQueryCache();
  const fetched = cache.findAll({ type: "active" }).map(({ state }) => state.dataUpdatedAt);
  return Math.max(0, ...fetched);
}

export function ConnectionLine() {
  const lost = useLine((line) => line.lost);
  return lost && <LostLine />;
}

function LostLine() {
  const asking = useLine((line) => line.asking);
  const online = useSyncExternalStore(subscribeOnline, () => navigator.onLine);
  const now = useNow(SECOND);
  const shownSince = useShownSince();
  return (
    <div className={styles.line}>
      <Icon name={online ? "refresh" : "unlink"} size={14} className={styles.icon} />
      <span role="status">
        <b>{online ? "正在重连" : "离线"}</b>
        {online ? "，服务器没有应答" : "，网络已断开"}
      </span>
      {/* Changes each second: not announced to screen readers. */}
      {shownSince > 0 && <span className={styles.age}>{agoText(shownSince, now)}更新</span>}
      <Button size="small" type="text" loading={asking} onClick={checkLineNow}>
        立即重试
      </Button>
    </div>
  );
}
