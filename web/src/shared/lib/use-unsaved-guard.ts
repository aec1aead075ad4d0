// Confirms leaving a page with unsaved changes: inside the portal by a dialogue, otherwise by the browser's own.
import { App } from "antd";
import { useEffect } from "react";
import { useBlocker } from "react-router";

/** `lost` describes the unsaved changes. */
export function useUnsavedGuard(dirty: boolean, lost: string): void {
  const { modal } = App.useApp();
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => dirty && currentLocation.pathname !== nextLocation.pathname,
  );

  useEffect(() => {
    if (blocker.state !== "blocked") return;
    const question = modal.confirm({
      title: "放弃未保存的修改？",
      content: lost,
      okText: "放弃",
      okButtonProps: { danger: true },
      cancelText: "留在这里",
      focusable: { autoFocusButton: "cancel" },
      onOk: () => blocker.proceed(),
      onCancel: () => blocker.reset(),
    });
    return () => question.destroy();
  }, [blocker, modal, lost]);

  useEffect(() => {
    if (!dirty) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [dirty]);
}
