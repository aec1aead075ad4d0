// How this browser shows the portal. Every change holds at once and is kept here, not with the account.
import { Drawer, Flex, Segmented, Switch } from "antd";
import { useId } from "react";
import { changeSettings, setSize, type ThemeMode, type UiSize, useUi } from "@/shared/stores/ui";
import styles from "./SettingsDrawer.module.css";
import { ThemeColorPicker } from "./ThemeColorPicker";

const modes: { value: ThemeMode; label: string }[] = [
  { value: "light", label: "浅色" },
  { value: "dark", label: "深色" },
  { value: "system", label: "跟随系统" },
];

const sizes: { value: UiSize; label: string }[] = [
  { value: "small", label: "紧凑" },
  { value: "medium", label: "标准" },
  { value: "large", label: "宽松" },
];

interface SettingsDrawerProps {
  open: boolean;
  onClose: () => void;
}

export default function SettingsDrawer({ open, onClose }: SettingsDrawerProps) {
  const ui = useUi();
  return (
    <Drawer title="界面设置" open={open} onClose={onClose} size={300} closable={{ placement: "end" }}>
      <Flex vertical gap={24}>
        <section>
          <h3 className={styles.head}>明暗</h3>
          <Segmented
            block
            aria-label="明暗"
            options={modes}
            value={ui.mode}
            onChange={(mode) => changeSettings({ mode })}
          />
        </section>
        <section>
          <h3 className={styles.head}>主题色</h3>
          <ThemeColorPicker value={ui.theme} onChange={(theme) => changeSettings({ theme })} />
        </section>
        <section>
          <h3 className={styles.head}>控件大小</h3>
          <Segmented block aria-label="控件大小" options={sizes} value={ui.size} onChange={setSize} />
        </section>
        <section>
          <h3 className={styles.head}>布局</h3>
          <Flex vertical gap={12}>
            <Toggle
              label="标签栏"
              checked={ui.tagsView}
              onChange={(tagsView) => changeSettings({ tagsView })}
            />
            <Toggle
              label="固定顶栏"
              checked={ui.fixedHeader}
              onChange={(fixedHeader) => changeSettings({ fixedHeader })}
            />
            <Toggle
              label="菜单标志"
              checked={ui.sidebarLogo}
              onChange={(sidebarLogo) => changeSettings({ sidebarLogo })}
            />
          </Flex>
        </section>
      </Flex>
    </Drawer>
  );
}

interface ToggleProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

function Toggle({ label, checked, onChange }: ToggleProps) {
  const id = useId();
  return (
    <div className={styles.toggle}>
      <label htmlFor={id}>{label}</label>
      <Switch id={id} checked={checked} onChange={onChange} />
    </div>
  );
}
