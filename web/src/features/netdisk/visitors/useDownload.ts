// Has the browser download an entry of a share, after checking that it still exists: a refusal would be saved as a
// file.
import { useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { asApiError } from "@/shared/api/problem";
import { type Content, contentAddress, fetchContent, sharedQuery } from "./api";
import type { Spot } from "./spot";

export function useDownload(spot: Spot, pass: string | null) {
  const client = useQueryClient();
  const { message } = App.useApp();
  return async (path: string, content: Content = {}) => {
    try {
      await client.fetchQuery({ ...sharedQuery({ ...spot, path }, pass), staleTime: 0 });
      fetchContent(contentAddress(spot, path, pass, content));
    } catch (cause) {
      const { status, message: words } = asApiError(cause);
      message.error(`下载失败：${status === 401 ? "要重新输入密码" : words}`, 2);
      // The shown data is outdated.
      await client.invalidateQueries({ queryKey: ["share", spot.host, spot.hash] });
    }
  };
}
