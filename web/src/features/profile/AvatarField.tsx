// The picture of an account: initials until there is one. Made small in the browser before it is sent.
import { App, Button, Flex } from "antd";
import { useRef } from "react";
import styles from "./AvatarField.module.css";
import { readAvatar } from "./avatar";

interface AvatarFieldProps {
  name: string;
  /** Given by the form. */
  id?: string;
  value?: string;
  onChange?: (value: string) => void;
}

export function AvatarField({ name, id, value = "", onChange }: AvatarFieldProps) {
  const { message } = App.useApp();
  const input = useRef<HTMLInputElement>(null);

  async function choose(file: File | undefined) {
    if (!file) return;
    try {
      onChange?.(await readAvatar(file));
    } catch (error) {
      message.error(error instanceof Error ? error.message : "图片没有读出来", 2);
    }
  }

  return (
    <Flex align="center" gap={12}>
      <span className={styles.avatar} aria-hidden="true">
        {value ? <img src={value} alt="" /> : (Array.from(name.trim())[0] ?? "").toUpperCase()}
      </span>
      <input
        ref={input}
        type="file"
        accept="image/*"
        // Opened by the button beside it. Antd forms show file inputs whatever their attribute says.
        style={{ display: "none" }}
        aria-label="选择头像图片"
        onChange={(event) => {
          void choose(event.target.files?.[0]);
          event.target.value = "";
        }}
      />
      <Button id={id} onClick={() => input.current?.click()}>
        {value ? "更换图片" : "上传图片"}
      </Button>
      {value && (
        <Button type="text" onClick={() => onChange?.("")}>
          移除
        </Button>
      )}
    </Flex>
  );
}
