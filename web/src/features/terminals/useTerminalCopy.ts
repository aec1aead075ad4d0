// Copying and pasting by buttons, with a word on how it went.
import { App } from "antd";
import { screenOf } from "./sessions";

export function useTerminalCopy(id: number | undefined) {
  const { message } = App.useApp();
  const screen = () => (id === undefined ? undefined : screenOf(id));

  async function copy() {
    if (await screen()?.copySelection()) message.success("已复制", 1.5);
    else message.info("先在终端里选中要复制的内容", 1);
    screen()?.focus();
  }

  async function paste() {
    try {
      await screen()?.paste();
    } catch {
      message.error("浏览器不允许读取剪贴板，请用 Ctrl+Shift+V 粘贴", 2);
    }
    screen()?.focus();
  }

  return { copy, paste };
}
