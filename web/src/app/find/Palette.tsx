// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays in the field, which names the current option
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the field has the keys
// The search over everything: a field, and below it what can be chosen. The focus stays in the field; the arrow keys go
// through the choices, Enter takes one.
import { Button, Input, type InputRef, Modal } from "antd";
import { type RefObject, useEffect, useId, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { useSession } from "@/shared/stores/session";
import { Icon } from "@/shared/theme/Icon";
import { usePhone } from "@/shared/ui/usePhone";
import type { Choice, Section } from "./choice";
import styles from "./Palette.module.css";
import { keepRecent } from "./recent";
import { type Choices, useChoices } from "./useChoices";

interface PaletteProps {
  open: boolean;
  onClose: () => void;
}

export function Palette({ open, onClose }: PaletteProps) {
  const phone = usePhone();
  const [wasOpen, setWasOpen] = useState(false);
  const [opener, setOpener] = useState<Element | null>(null);
  const field = useRef<InputRef>(null);
  // Before the field takes the focus, which antd does not notice in time to give it back.
  if (open !== wasOpen) {
    setWasOpen(open);
    if (open) setOpener(document.activeElement);
  }
  function afterClose() {
    // After a navigation the new page has it.
    const isNowhere = document.activeElement === document.body;
    if (isNowhere && opener instanceof HTMLElement) opener.focus();
  }
  return (
    <Modal
      open={open}
      title="查找"
      // The field says it to those who see it.
      classNames={{ header: styles.hidden ?? "" }}
      styles={{ container: { padding: 0 } }}
      style={{ top: phone ? 8 : 88 }}
      width={phone ? "calc(100vw - 16px)" : 640}
      closable={false}
      footer={null}
      destroyOnHidden
      onCancel={onClose}
      afterClose={afterClose}
      // The dialog takes the focus when it has opened.
      afterOpenChange={(isOpen) => isOpen && field.current?.focus({ preventScroll: true })}
    >
      <Finder field={field} onClose={onClose} />
    </Modal>
  );
}

interface FinderProps {
  field: RefObject<InputRef | null>;
  onClose: () => void;
}

function Finder({ field, onClose }: FinderProps) {
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState<string | null>(null);
  const id = useId();
  const user = useSession((session) => session.id);
  const navigate = useNavigate();
  const found = useChoices(typed);
  const choices = found.sections.flatMap((section) => section.choices);
  const index = Math.max(
    0,
    choices.findIndex(({ key }) => key === active),
  );
  const current = choices[index];

  // At once, not when the dialog has finished opening: keys typed meanwhile would be lost.
  useEffect(() => field.current?.focus({ preventScroll: true }), [field]);

  function take(choice: Choice, besides: boolean) {
    keepRecent(user, choice);
    if ("to" in choice.act && besides) {
      window.open(choice.act.to, "_blank", "noreferrer");
      return;
    }
    onClose();
    if ("to" in choice.act) void navigate(choice.act.to);
    else choice.act.run();
  }

  function walk(by: number) {
    const next = choices[(index + by + choices.length) % choices.length];
    if (!next) return;
    setActive(next.key);
    document.getElementById(optionId(id, next))?.scrollIntoView({ block: "nearest" });
  }

  function pressed(event: React.KeyboardEvent) {
    const { key, ctrlKey, metaKey, nativeEvent } = event;
    // Enter and the arrows choose among the characters of an input method.
    if (nativeEvent.isComposing) return;
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 5, PageUp: -5 };
    const step = steps[key];
    if (step !== undefined) {
      event.preventDefault();
      walk(step);
    } else if (key === "Enter" && current) {
      event.preventDefault();
      take(current, ctrlKey || metaKey);
    }
  }

  return (
    <div className={styles.finder}>
      <Input
        ref={field}
        size="large"
        variant="borderless"
        className={styles.field ?? ""}
        prefix={<Icon name="search" />}
        role="combobox"
        aria-label="查找"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={current && optionId(id, current)}
        placeholder="页面、实例、服务器、数据集、文件……"
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="go"
        maxLength={100}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setActive(null);
        }}
        onKeyDown={pressed}
      />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label="可选项"
        aria-busy={found.busy}
        className={styles.list}
      >
        {found.sections.map((section) => (
          <ChoiceGroup
            key={section.title}
            section={section}
            id={id}
            current={current}
            onPoint={setActive}
            onTake={take}
          />
        ))}
      </div>
      <Notes found={found} typed={typed} count={choices.length} />
    </div>
  );
}

const optionId = (id: string, { key }: Choice) => `${id}-${encodeURIComponent(key)}`;

interface ChoiceGroupProps {
  section: Section;
  id: string;
  current: Choice | undefined;
  onPoint: (key: string) => void;
  onTake: (choice: Choice, besides: boolean) => void;
}

function ChoiceGroup({ section, id, current, onPoint, onTake }: ChoiceGroupProps) {
  const heading = `${id}-${section.title}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields, and a list box has groups
    <div role="group" aria-labelledby={heading}>
      <div id={heading} className={styles.heading}>
        {section.title}
      </div>
      {section.choices.map((choice) => (
        <div
          key={choice.key}
          id={optionId(id, choice)}
          role="option"
          aria-selected={choice.key === current?.key}
          className={choice.key === current?.key ? `${styles.choice} ${styles.current}` : styles.choice}
          onMouseMove={() => onPoint(choice.key)}
          onClick={({ ctrlKey, metaKey }) => onTake(choice, ctrlKey || metaKey)}
        >
          <Icon name={choice.icon} className={styles.icon} />
          <span className={styles.title}>{choice.title}</span>
          {choice.about && <span className={styles.about}>{choice.about}</span>}
        </div>
      ))}
    </div>
  );
}

interface NotesProps {
  found: Choices;
  typed: string;
  count: number;
}

function Notes({ found: { busy, failures }, typed, count }: NotesProps) {
  return (
    <div className={styles.notes}>
      {failures.map(({ what, error, retry }) => (
        <div key={what} role="alert" className={styles.failure}>
          <span>
            {what}查找失败：{error.message}
          </span>
          <Button size="small" type="link" onClick={retry}>
            重试
          </Button>
        </div>
      ))}
      <div className={styles.foot}>
        <span role="status">
          {busy ? "正在查找…" : typed.trim() === "" ? "输入名称，或拼音首字母" : `${count} 项`}
        </span>
        <span aria-hidden="true" className={styles.keys}>
          <kbd>↑</kbd> <kbd>↓</kbd> 选择 <kbd>Enter</kbd> 打开 <kbd>Esc</kbd> 关闭
        </span>
      </div>
    </div>
  );
}
