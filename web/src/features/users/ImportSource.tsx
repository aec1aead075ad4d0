// The source of the table: pasted text or a file.
import { App, Button, Checkbox, Flex, Input, Upload } from "antd";
import { FormAlert } from "@/shared/form/FormAlert";
import { Icon } from "@/shared/theme/Icon";
import type { Failure } from "@/shared/ui/failure";
import { saveFile } from "@/shared/ui/save-file";
import styles from "./Import.module.css";
import { countRows, decodeTable, heads, template } from "./user-table-text";

/** The server refuses larger bodies; a table of 10 000 people is far below. */
const MAX_BYTES = 2 * 1024 * 1024;

interface ImportSourceProps {
  text: string;
  onText: (text: string) => void;
  /** The first sign-in of each has to choose another password. */
  mustChange: boolean;
  onMustChange: (mustChange: boolean) => void;
  error: Failure | null;
}

export function ImportSource({ text, onText, mustChange, onMustChange, error }: ImportSourceProps) {
  const { message } = App.useApp();

  async function read(file: File) {
    if (file.size > MAX_BYTES) {
      message.error("文件超过 2 MB，请分成几份", 2);
      return;
    }
    onText(decodeTable(await file.arrayBuffer()));
  }

  return (
    <Flex vertical gap={12}>
      <FormAlert messages={error ? [error.message] : []} />
      <p>
        从 Excel 复制表格粘贴到下面，或选择 CSV
        文件。第一行是表头，只有“用户名”必填；没有写密码的由系统生成，没有写的配额用默认值。多个用户组用分号隔开。
      </p>
      <Flex gap={8} wrap>
        <Upload
          accept=".csv,.tsv,.txt,text/csv"
          showUploadList={false}
          beforeUpload={(file) => {
            void read(file);
            return false;
          }}
        >
          <Button icon={<Icon name="upload" size={14} />}>选择 CSV 文件</Button>
        </Upload>
        <Button
          icon={<Icon name="download" size={14} />}
          onClick={() => saveFile("用户模板.csv", new Blob([template], { type: "text/csv" }))}
        >
          下载模板
        </Button>
      </Flex>
      <Input.TextArea
        aria-label="用户表格"
        className={styles.source}
        placeholder={heads.join("\t")}
        spellCheck={false}
        autoSize={{ minRows: 10, maxRows: 24 }}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
      <Checkbox checked={mustChange} onChange={(event) => onMustChange(event.target.checked)}>
        每个人首次登录时须换成自己的密码
      </Checkbox>
      <span className={styles.note} aria-live="polite">
        {countRows(text) > 0 && `表头以下共 ${countRows(text)} 行`}
      </span>
    </Flex>
  );
}
