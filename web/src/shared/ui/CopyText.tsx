// A quiet button that copies a text and confirms it.
import { App, Button } from "antd";
import type { ReactNode } from "react";
import { Icon } from "@/shared/theme/Icon";
import { copyToClipboard } from "./copy-to-clipboard";

interface CopyTextProps {
  text: string;
  /** Shown on the button; without it the button is an icon named by `label`. */
  children?: ReactNode;
  label?: string;
  onCopied?: () => void;
}

export function CopyText({ text, children, label = "复制", onCopied }: CopyTextProps) {
  const { message } = App.useApp();
  async function copy() {
    if (await copyToClipboard(text)) {
      message.success("已复制", 1.5);
      onCopied?.();
    } else message.error("浏览器不允许复制，请手动选择", 2);
  }
  return (
    <Button
      type="text"
      icon={<Icon name="copy" size={14} />}
      aria-label={children ? undefined : label}
      title={children ? undefined : label}
      onClick={copy}
    >
      {children}
    </Button>
  );
}
