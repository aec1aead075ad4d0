// The keys that work on every page.
import { Modal } from "antd";
import { Icon } from "@/shared/theme/Icon";
import { KeyList } from "@/shared/ui/KeyList";
import { findKeys } from "./find-keys";

export function KeysPrompt({ open, onClose }: { open: boolean; onClose: () => void }) {
  const keys = [
    [findKeys, "查找页面、实例、服务器、文件，执行操作"],
    ["/", "到本页的搜索框"],
    ["?", "打开这个说明"],
    ["Esc", "关闭弹出的窗口或菜单"],
    ["Tab / Shift+Tab", "到下一个、上一个控件"],
    ["Enter / 空格", "按下按钮、打开链接"],
    ["← →", "在显卡方块之间移动，查看使用人"],
    ["Home / End", "到第一张、最后一张显卡"],
    ["F1", "在网盘里：网盘的按键"],
    ["Ctrl+F", "在网盘里：搜索文件"],
  ] as const;
  return (
    <Modal
      open={open}
      title="键盘快捷键"
      width={480}
      closeIcon={<Icon name="close" />}
      footer={null}
      destroyOnHidden
      onCancel={onClose}
    >
      <KeyList keys={keys} />
    </Modal>
  );
}
