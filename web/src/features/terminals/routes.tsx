// Terminals in the browser: a shell in an instance, and SSH to an instance or a server.
import type { AppRoute } from "@/shared/lib/app-route";

export const routes: AppRoute[] = [
  {
    path: "/servers/server_terminal/:serverid/:instanceid/:ip/:cmd",
    meta: { title: "终端", icon: "terminal", hidden: true, fill: true },
    page: () => import("./TerminalPage"),
  },
  {
    path: "/servers/:server/server_terminal_ssh/:ip/:port",
    meta: { title: "SSH 终端", icon: "terminal", hidden: true, fill: true },
    page: () => import("./SshPage"),
  },
];
