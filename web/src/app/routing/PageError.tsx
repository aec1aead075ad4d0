// Shown in place of a page that failed to render or to load.
import { Button, Flex } from "antd";
import { useEffect } from "react";
import { Link, useRevalidator, useRouteError } from "react-router";
import { asApiError } from "@/shared/api/problem";
import { reportError } from "@/shared/stores/error-log";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { endOpening } from "../layout/opening";
import { bumpRefresh } from "./refresh";

/** Browsers word a module that did not load each in their own way. */
const isMissingModule = (error: unknown) =>
  error instanceof Error &&
  /dynamically imported module|importing a module|module script/i.test(error.message);

export function PageError() {
  const error = useRouteError();
  const revalidator = useRevalidator();

  useEffect(endOpening, []);
  useEffect(() => {
    reportError({ err: error, vm: "页面", info: "页面没有显示出来" });
  }, [error]);

  function retry() {
    bumpRefresh();
    void revalidator.revalidate();
  }

  if (isMissingModule(error)) {
    return (
      <Panel>
        <EmptyPanel
          icon="refresh"
          text="页面文件没有取到"
          note="网络中断，或者系统刚刚更新过。重新载入后会取到新的页面。"
          action={
            <Button type="primary" onClick={() => location.reload()}>
              重新载入
            </Button>
          }
        />
      </Panel>
    );
  }
  return (
    <Panel>
      <ErrorPanel title="页面出错了" error={asApiError(error)} onRetry={retry} />
      <Flex justify="center" style={{ paddingBottom: 24 }}>
        <Link to="/error-log/log">错误日志</Link>
      </Flex>
    </Panel>
  );
}
