// The formats of an archive to choose from.
import { Flex, Radio } from "antd";
import touch from "@/shared/form/TouchChoice.module.css";
import { type ArchiveFormat, archiveFormats } from "../api";
import styles from "./FormatChoice.module.css";

const notes: Partial<Record<ArchiveFormat, string>> = {
  zip: "各种系统都能打开",
  tar: "不压缩，最快",
  targz: "压缩，Linux 常用",
};

interface FormatChoiceProps {
  value: ArchiveFormat;
  onChange: (format: ArchiveFormat) => void;
}

export function FormatChoice({ value, onChange }: FormatChoiceProps) {
  return (
    <Radio.Group aria-label="格式" value={value} onChange={({ target }) => onChange(target.value)}>
      <Flex vertical gap={6}>
        {archiveFormats.map((name) => (
          <Radio key={name} value={name} className={touch.choice ?? ""}>
            {name}
            {notes[name] && <small className={styles.note}>{notes[name]}</small>}
          </Radio>
        ))}
      </Flex>
    </Radio.Group>
  );
}
