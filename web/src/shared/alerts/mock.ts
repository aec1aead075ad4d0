// For tests and pictures: an alert as the server sends it.
import type { Alert } from "./api";

export const alert = (over: Partial<Alert> = {}): Alert => ({
  id: "0191",
  kind: "server_lost",
  severity: "critical",
  state: "firing",
  name: "gpu-r02",
  words:
    "服务器 gpu-r02 的容器引擎没有应答，上面的实例可能仍在运行，但看不到也管不了。请检查机器、网络和 Docker",
  link: "/servers/server_detail/0190",
  since: "2026-11-20T02:10:00.000Z",
  lastSeen: "2026-11-20T02:52:40.000Z",
  resolved: null,
  silencedUntil: null,
  silencedBy: "",
  ...over,
});
