// Downloads a file and reports a refusal.
import { App } from "antd";
import { asApiError } from "@/shared/api/problem";
import { download } from "./api";

export function useFetchFile(host: string) {
  const { message } = App.useApp();
  return (path: string) => {
    download(host, path).catch((cause: unknown) => {
      message.error(`下载失败：${asApiError(cause).message}`, 2);
    });
  };
}
