// The line above the text: the saved state, the encoding, and the save button.
import { Button } from "antd";
import { Icon } from "@/shared/theme/Icon";
import { DropMenu } from "@/shared/ui/DropMenu";
import { StateText } from "@/shared/ui/StateText";
import styles from "./Editor.module.css";
import { type Encoding, encodings, labelOf } from "./encodings";

interface EditorBarProps {
  encoding: Encoding;
  dirty: boolean;
  saving: boolean;
  readOnly: string | undefined;
  /** Reads the bytes again, as another encoding. */
  onReadAs: (encoding: Encoding) => void;
  onWriteAs: (encoding: Encoding) => void;
  onSave: () => void;
}

export function EditorBar(props: EditorBarProps) {
  const { encoding, dirty, saving, readOnly, onReadAs, onWriteAs, onSave } = props;
  const items = (key: string, verb: string, choose: (encoding: Encoding) => void) =>
    encodings.map(({ name, label }) => ({
      key: `${key} ${name}`,
      label: `${verb} ${label}`,
      onClick: () => choose(name),
    }));
  const menu = [
    // Reading it again would discard the changes.
    ...(dirty ? [] : items("read", "重新读作", onReadAs)),
    ...(readOnly === undefined ? [{ type: "divider" as const }, ...items("write", "保存为", onWriteAs)] : []),
  ];
  return (
    <section className={styles.bar} aria-label="编辑">
      <span className={styles.state} aria-live="polite">
        <EditorState dirty={dirty} saving={saving} readOnly={readOnly} />
      </span>
      <DropMenu trigger={["click"]} menu={{ items: menu, style: { maxHeight: "60vh", overflowY: "auto" } }}>
        <Button type="text" aria-label={`编码 ${labelOf(encoding)}`}>
          {labelOf(encoding)}
          <Icon name="down" size={10} />
        </Button>
      </DropMenu>
      {readOnly === undefined && (
        <Button
          type="primary"
          icon={<Icon name="save" size={14} />}
          title="保存（Ctrl+S）"
          disabled={!dirty}
          loading={saving}
          onClick={onSave}
        >
          保存
        </Button>
      )}
    </section>
  );
}

function EditorState({ dirty, saving, readOnly }: Pick<EditorBarProps, "dirty" | "saving" | "readOnly">) {
  if (readOnly !== undefined)
    return (
      <StateText icon="lock" tone="off">
        {`只读：${readOnly}`}
      </StateText>
    );
  if (saving) return "正在保存…";
  return dirty ? "有未保存的修改" : "没有修改";
}
