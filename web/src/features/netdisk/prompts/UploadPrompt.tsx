// Asks whether to upload files or a whole folder; the browser has a different dialogue for each.
import { Modal } from "antd";
import { type ReactNode, type RefObject, useRef } from "react";
import { FileInput } from "@/shared/form/FileInput";
import { media, useMediaQuery } from "@/shared/lib/use-media-query";
import { Icon } from "@/shared/theme/Icon";
import type { IconName } from "@/shared/theme/icon-shapes";
import styles from "./UploadPrompt.module.css";

interface UploadPromptProps {
  /** The name of the target folder. */
  folder: string;
  onPick: (files: readonly File[]) => void;
  onClose: () => void;
}

export function UploadPrompt({ folder, onPick, onClose }: UploadPromptProps) {
  const first = useRef<HTMLButtonElement>(null);
  const touch = useMediaQuery(media.touch);
  return (
    <Modal
      open
      afterOpenChange={(open) => open && first.current?.focus()}
      title={`上传到 ${folder}`}
      footer={null}
      width={440}
      closeIcon={<Icon name="close" />}
      onCancel={onClose}
    >
      <div className={styles.choices}>
        <Choice icon="file" label="选择文件" folders={false} onPick={onPick} button={first}>
          可以一次选多个
        </Choice>
        <Choice icon="folder" label="选择文件夹" folders onPick={onPick}>
          连同其中的所有文件
        </Choice>
      </div>
      {!touch && <p className={styles.note}>也可以把文件或文件夹直接拖进列表。</p>}
    </Modal>
  );
}

interface ChoiceProps {
  icon: IconName;
  label: string;
  folders: boolean;
  onPick: (files: readonly File[]) => void;
  button?: RefObject<HTMLButtonElement | null>;
  children: ReactNode;
}

function Choice({ icon, label, folders, onPick, button, children }: ChoiceProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button ref={button} type="button" className={styles.choice} onClick={() => input.current?.click()}>
        <Icon name={icon} size={28} />
        <b>{label}</b>
        <span>{children}</span>
      </button>
      <FileInput ref={input} label={label} multiple folder={folders} onPick={onPick} />
    </>
  );
}
