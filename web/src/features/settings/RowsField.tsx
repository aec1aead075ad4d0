// A list of rows in a form, all with the same few fields; rows are appended and removed singly.
import { Button, Flex, Form, Input, Select } from "antd";
import { Icon } from "@/shared/theme/Icon";
import styles from "./RowsField.module.css";

interface RowsFieldProps {
  name: string[];
  label: string;
  /** An explanation below the rows. */
  note?: string;
  /** On the button that adds a row. */
  add: string;
  /** The values of a new row. */
  empty: Record<string, string | undefined>;
  columns: readonly Column[];
}

interface Column {
  name: string;
  label: string;
  placeholder: string;
  /** Chosen from these rather than typed. */
  options?: { value: number; label: string }[];
}

export function RowsField({ name, label, note, add, empty, columns }: RowsFieldProps) {
  return (
    <Form.Item label={label} extra={note}>
      <Form.List name={name}>
        {(rows, { add: append, remove }, { errors }) => (
          <Flex vertical gap={8}>
            {rows.map((row, index) => (
              <div key={row.key} className={styles.row}>
                {columns.map((column) => (
                  <Form.Item
                    key={column.name}
                    name={[row.name, column.name]}
                    rules={[{ required: true, message: `请填写${column.label}` }]}
                    className={styles.field}
                  >
                    {column.options ? (
                      <Select
                        aria-label={`${label}第 ${index + 1} 行，${column.label}`}
                        placeholder={column.placeholder}
                        options={column.options}
                        showSearch={{ optionFilterProp: "label" }}
                      />
                    ) : (
                      <Input
                        aria-label={`${label}第 ${index + 1} 行，${column.label}`}
                        placeholder={column.placeholder}
                        spellCheck={false}
                      />
                    )}
                  </Form.Item>
                ))}
                <Button
                  type="text"
                  aria-label={`删除${label}第 ${index + 1} 行`}
                  title="删除这一行"
                  icon={<Icon name="trash" />}
                  onClick={() => remove(row.name)}
                />
              </div>
            ))}
            <Button
              className={styles.add}
              icon={<Icon name="plus" size={14} />}
              onClick={() => append({ ...empty })}
            >
              {add}
            </Button>
            <Form.ErrorList errors={errors} />
          </Flex>
        )}
      </Form.List>
    </Form.Item>
  );
}
