// The pages and actions that the user has: known without asking the server.
import type { AppAction, AppRoute, Role } from "@/shared/lib/app-route";
import { changeSettings } from "@/shared/stores/ui";
import type { Scheme } from "@/shared/theme/tokens";
import { addressOf } from "../routing/menu";
import { allActions, mayOpen, routesFor } from "../routing/registry";
import { sectionOf } from "../routing/sections";
import { logOut } from "../session/session-events";
import type { Choice } from "./choice";
import { openKeys } from "./find-store";
import { bestOf } from "./matching";

const most = 6;

/** Pages of the menu, and those that are reached in other ways but need nothing to be opened. */
const isFindable = ({ path, meta, outside, anonymous }: AppRoute) =>
  !outside && !anonymous && !path.includes(":") && (meta.findable ?? !meta.hidden);

const sectionTitle = (path: string) => sectionOf(path)?.title ?? "";

function pageChoice({ path, meta }: AppRoute): Choice {
  const icon = meta.icon ?? sectionOf(path)?.icon ?? "right";
  const to = addressOf(path);
  return { key: `page ${path}`, icon, title: meta.title, about: sectionTitle(path), act: { to } };
}

/** Those of the menu alone when nothing was typed. */
export function pagesFor(role: Role, words: readonly string[]): Choice[] {
  const routes = routesFor(role).filter(isFindable);
  if (words.length === 0) return routes.filter(({ meta }) => !meta.hidden).map(pageChoice);
  const textsOf = ({ path, meta }: AppRoute) => ({
    title: meta.title,
    more: `${sectionTitle(path)} ${path.replace(/[/_*]/g, " ")}`,
  });
  return bestOf(routes, words, most, textsOf).map(pageChoice);
}

interface Action {
  choice: Choice;
  more: string;
}

const declared = ({ title, icon, to, words = "" }: AppAction): Action => ({
  choice: { key: `action ${to}`, icon, title, about: "", act: { to } },
  more: words,
});

const own = (name: string, more: string, choice: Omit<Choice, "key" | "about">): Action => ({
  choice: { ...choice, key: `action ${name}`, about: "" },
  more,
});

/** Those of the frame itself. */
const frameActions = (scheme: Scheme): Action[] => [
  own("scheme", "theme dark light 主题 外观 夜间", {
    icon: "half",
    title: scheme === "dark" ? "切换到浅色外观" : "切换到深色外观",
    act: { run: () => changeSettings({ mode: scheme === "dark" ? "light" : "dark" }) },
  }),
  own("keys", "shortcuts help 快捷键 帮助 键盘", {
    icon: "info",
    title: "查看键盘快捷键",
    act: { run: openKeys },
  }),
  own("logout", "logout exit 注销", { icon: "exit", title: "退出登录", act: { run: () => void logOut() } }),
];

export function actionsFor(role: Role, words: readonly string[], scheme: Scheme): Choice[] {
  const features = allActions.filter((action) => mayOpen(role, { meta: action })).map(declared);
  const actions = words.length === 0 ? features : [...features, ...frameActions(scheme)];
  const textsOf = ({ choice: { title }, more }: Action) => ({ title, more });
  return bestOf(actions, words, most, textsOf).map(({ choice }) => choice);
}
