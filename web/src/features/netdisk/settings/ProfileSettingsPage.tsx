// How I like to see the disk. Every change holds at once and is kept with the account.
import { Segmented, Select, Switch } from "antd";
import { type ReactNode, useId } from "react";
import { changeSettings } from "@/shared/stores/ui";
import { useScheme } from "@/shared/theme/use-scheme";
import { Panel } from "@/shared/ui/Panel";
import type { DiskUser } from "../account/api";
import { useSaveHabits } from "../account/useSaveHabits";
import { DiskSettingsFrame } from "./DiskSettingsFrame";
import styles from "./DiskSettingsFrame.module.css";
import { orderOf, orderOptions, shownView, sortingOf, themeOptions, viewOptions } from "./options";

export default function ProfileSettingsPage() {
  return <DiskSettingsFrame>{(host, me) => <Habits host={host} me={me} />}</DiskSettingsFrame>;
}

function Habits({ host, me }: { host: string; me: DiskUser }) {
  const save = useSaveHabits(host);
  const scheme = useScheme();
  const order = useId();
  return (
    <Panel label="个人设置" padded>
      <div className={styles.rows}>
        <div className={styles.row}>
          <span>显示方式</span>
          <Segmented
            aria-label="显示方式"
            options={[...viewOptions]}
            value={shownView(me.viewMode)}
            onChange={(viewMode) => save({ viewMode })}
          />
        </div>
        <div className={styles.row}>
          <label htmlFor={order}>排序</label>
          <Select
            id={order}
            value={orderOf(me.sorting)}
            options={[...orderOptions]}
            style={{ width: 200 }}
            onChange={(value) => save({ sorting: sortingOf(value) })}
          />
        </div>
        <div className={styles.row}>
          <span>
            主题
            <small>这个浏览器里的整个平台一起改变；界面设置里可以改回跟随系统</small>
          </span>
          <Segmented
            aria-label="主题"
            options={[...themeOptions]}
            value={scheme}
            onChange={(theme) => {
              changeSettings({ mode: theme });
              save({ theme });
            }}
          />
        </div>
        <Toggle label="单击打开" checked={me.singleClick} onChange={(singleClick) => save({ singleClick })}>
          单击就打开文件和文件夹；要选中，用勾选框或按住 Ctrl
        </Toggle>
        <Toggle
          label="隐藏以点开头的文件"
          checked={me.hideDotfiles}
          onChange={(hideDotfiles) => save({ hideDotfiles })}
        >
          如 .bashrc、.git
        </Toggle>
        <div className={styles.row}>
          <span>语言</span>
          <span>简体中文</span>
        </div>
      </div>
    </Panel>
  );
}

interface ToggleProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}

function Toggle({ label, checked, onChange, children }: ToggleProps) {
  const id = useId();
  return (
    <div className={styles.row}>
      <span>
        <label htmlFor={id}>{label}</label>
        <small>{children}</small>
      </span>
      <Switch id={id} className={styles.toggle ?? ""} checked={checked} onChange={onChange} />
    </div>
  );
}
