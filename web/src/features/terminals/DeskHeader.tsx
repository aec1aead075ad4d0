// The bar above the terminals: their instance or host, and actions on the shown one.
import { Button } from "antd";
import type { ReactNode, Ref, RefObject } from "react";
import { Icon } from "@/shared/theme/Icon";
import { DropMenu } from "@/shared/ui/DropMenu";
import { useReturnFocus } from "@/shared/ui/use-return-focus";
import { usePhone } from "@/shared/ui/usePhone";
import { largest, setLooks, smallest, type TerminalScheme, useLooks } from "./looks";
import { screenOf, type Terminal } from "./sessions";
import styles from "./TerminalDesk.module.css";
import { useTerminalCopy } from "./useTerminalCopy";

interface DeskHeaderProps {
  ref: Ref<HTMLDivElement>;
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  shown: Terminal | undefined;
  desk: RefObject<HTMLElement | null>;
  searching: boolean;
  onSearch: () => void;
}

export function DeskHeader({
  ref,
  title,
  about,
  actions,
  shown,
  desk,
  searching,
  onSearch,
}: DeskHeaderProps) {
  const { copy } = useTerminalCopy(shown?.id);
  const phone = usePhone();
  return (
    <header className={styles.head}>
      <h1 className={styles.title}>{title}</h1>
      <div className={styles.about}>{about}</div>
      <div ref={ref} className={styles.tools}>
        <Button
          type={searching ? "default" : "text"}
          aria-pressed={searching}
          aria-label="查找"
          title="查找（Ctrl+Shift+F）"
          icon={<Icon name="search" />}
          disabled={!shown}
          onClick={onSearch}
        />
        {/* A finger selects nothing in a terminal. */}
        {!phone && (
          <Button
            type="text"
            aria-label="复制选中的内容"
            title="复制选中的内容（Ctrl+Shift+C）"
            icon={<Icon name="copy" />}
            disabled={!shown}
            onClick={copy}
          />
        )}
        <LooksMenu onClear={shown && (() => screenOf(shown.id)?.clear())} />
        {!phone && actions}
        {document.fullscreenEnabled && (
          <Button
            type="text"
            aria-label="全屏"
            title="全屏"
            icon={<Icon name="fullscreen" />}
            onClick={() =>
              void (document.fullscreenElement
                ? document.exitFullscreen()
                : desk.current?.requestFullscreen())
            }
          />
        )}
      </div>
    </header>
  );
}

const schemes: readonly { key: TerminalScheme; label: string }[] = [
  { key: "dark", label: "深色" },
  { key: "light", label: "浅色" },
  { key: "page", label: "跟随界面" },
];

function LooksMenu({ onClear }: { onClear: (() => void) | undefined }) {
  const { fontSize, scheme, screenReader } = useLooks();
  const { trigger, onOpenChange } = useReturnFocus();
  const phone = usePhone();
  const check = (on: boolean) =>
    on ? <Icon name="check" size={14} /> : <span className={styles.unchecked} />;
  return (
    <DropMenu
      trigger={["click"]}
      placement="bottomRight"
      onOpenChange={onOpenChange}
      getPopupContainer={(button) => button.closest("section") ?? document.body}
      menu={{
        items: [
          {
            key: "larger",
            label: `放大字号（现在 ${fontSize}）`,
            disabled: fontSize >= largest,
            onClick: () => setLooks({ fontSize: fontSize + 1 }),
          },
          {
            key: "smaller",
            label: "缩小字号",
            disabled: fontSize <= smallest,
            onClick: () => setLooks({ fontSize: fontSize - 1 }),
          },
          { type: "divider" },
          ...schemes.map(({ key, label }) => ({
            key,
            label: `${label}配色`,
            icon: check(key === scheme),
            onClick: () => setLooks({ scheme: key }),
          })),
          { type: "divider" },
          {
            key: "reader",
            label: "读屏模式",
            icon: check(screenReader),
            onClick: () => setLooks({ screenReader: !screenReader }),
          },
          { key: "clear", label: "清空屏幕", disabled: !onClear, onClick: () => onClear?.() },
          ...(phone
            ? []
            : [
                {
                  key: "keys",
                  disabled: true,
                  label: "Ctrl+Shift+C / V 复制、粘贴，Ctrl+Shift+F6 离开终端",
                },
              ]),
        ],
      }}
    >
      <Button
        ref={trigger}
        type="text"
        aria-label="显示设置"
        title="显示设置"
        icon={<Icon name="sliders" />}
      />
    </DropMenu>
  );
}
