// Copies a link to the clipboard and confirms it in the specification's words.
import { App } from "antd";
import { copyToClipboard } from "@/shared/ui/copy-to-clipboard";

export function useCopyLink() {
  const { message } = App.useApp();
  return async (text: string, done = "链接已复制到剪贴板") => {
    if (await copyToClipboard(text)) message.success(done, 1.5);
    else message.error("浏览器不允许复制，请手动选择", 2);
  };
}
