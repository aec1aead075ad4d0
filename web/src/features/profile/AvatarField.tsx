// The picture of an account: initials by default. Reduced in the browser before it is sent.
import { App, Button, Flex } from "antd";
import { useRef } from "react";
import { FileInput } from "@/shared/form/FileInput";
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

  async function choose(file: File) {
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
      <FileInput
        ref={input}
        accept="image/*"
        label="选择头像图片"
        onPick={([file]) => file && void choose(file)}
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
