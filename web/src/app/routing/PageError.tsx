// Shown in place of a page that failed to render or to load.
import { Flex } from "antd";
import { useEffect } from "react";
import { Link, useRevalidator, useRouteError } from "react-router";
import { ApiError } from "@/shared/api/problem";
import { MissingPart } from "@/shared/parts/MissingPart";
import { isMissingPart } from "@/shared/parts/missing-part";
import { reportError } from "@/shared/stores/error-log";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import type { Failure } from "@/shared/ui/failure";
import { Panel } from "@/shared/ui/Panel";
import { endOpening } from "../layout/opening";
import { bumpRefresh } from "./refresh";

/** What programs say of their own faults is English, and in the log. */
const ownFault: Failure = {
  message: "页面程序出错，请重试。多次出现请联系管理员，详情见错误日志。",
  fields: [],
};

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

  if (isMissingPart(error)) {
    return (
      <Panel>
        <MissingPart />
      </Panel>
    );
  }
  return (
    <Panel>
      <ErrorPanel title="页面出错了" error={error instanceof ApiError ? error : ownFault} onRetry={retry} />
      <Flex justify="center" style={{ paddingBottom: 24 }}>
        <Link to="/error-log/log">错误日志</Link>
      </Flex>
    </Panel>
  );
}
