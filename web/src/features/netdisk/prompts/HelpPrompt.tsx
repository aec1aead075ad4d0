// The keys and gestures of the file browser.
import { Modal } from "antd";
import { Icon } from "@/shared/theme/Icon";
import styles from "./HelpPrompt.module.css";

const keys: readonly (readonly [string, string])[] = [
  ["F1", "打开这个帮助"],
  ["F2", "重命名所选的一项"],
  ["Delete", "删除所选"],
  ["Shift+Delete", "彻底删除所选，不放进回收站"],
  ["Ctrl+S", "下载所选；编辑文件时是保存"],
  ["Ctrl+C / Ctrl+X / Ctrl+V", "复制、剪切、粘贴"],
  ["Ctrl+A / Esc", "全选、取消选择"],
  ["Ctrl+单击 / Shift+单击", "加选、选一段"],
  ["双击 / Enter", "打开"],
  ["Home / End", "到第一项、最后一项"],
  ["右键 / Shift+F10 / 菜单键", "打开当前一项的菜单"],
  ["触摸屏：点一下 / 长按", "打开、选择"],
  ["Esc，再按 Tab", "离开编辑区"],
  ["← / →", "查看文件时，上一个、下一个"],
  ["命令行：↑ ↓ / Ctrl+C / Ctrl+L", "翻历史、停止、清空"],
  ["拖动", "拖到文件夹上移动；从电脑里拖进来上传"],
];

export function HelpPrompt({ onClose }: { onClose: () => void }) {
  return (
    <Modal
      open
      title="网盘的按键"
      width={480}
      closeIcon={<Icon name="close" />}
      footer={null}
      onCancel={onClose}
    >
      <dl className={styles.keys}>
        {keys.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
