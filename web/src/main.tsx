import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { startRouting } from "./app/session/guard";
import { reportError, watchGlobalErrors } from "./shared/stores/error-log";

watchGlobalErrors();
void startRouting();

const firstLine = (stack: string | undefined) => stack?.trim().split("\n")[0]?.trim() ?? "React";

const container = document.getElementById("root");
if (!container) throw new Error("index.html has no #root");

createRoot(container, {
  onCaughtError: (err, { componentStack }) =>
    reportError({ err, vm: firstLine(componentStack), info: "组件渲染出错" }),
  onUncaughtError: (err, { componentStack }) =>
    reportError({ err, vm: firstLine(componentStack), info: "组件渲染出错，页面已停止" }),
}).render(<App />);
