// Rules that allow or deny paths, in their order.
import { Button, Flex, Form, Input, Select } from "antd";
import { Icon } from "@/shared/theme/Icon";

const effects = [
  { value: "deny", label: "禁止" },
  { value: "allow", label: "允许" },
];

const kinds = [
  { value: "path", label: "路径" },
  { value: "regex", label: "正则" },
];

interface RulesFieldProps {
  /** The path of the rules in the form. */
  at?: string | undefined;
  extra: string;
}

export function RulesField({ at, extra }: RulesFieldProps) {
  const place = at === undefined ? ["rules"] : [at, "rules"];
  return (
    <Form.Item label="规则" extra={extra}>
      <Form.List name={place}>
        {(rows, { add, remove }) => (
          <Flex vertical gap={8} align="flex-start">
            {rows.map(({ key, name }, index) => (
              <Flex key={key} gap={8} style={{ width: "100%" }}>
                <Form.Item name={[name, "effect"]} noStyle>
                  <Select aria-label={`规则 ${index + 1} 的作用`} options={effects} style={{ width: 88 }} />
                </Form.Item>
                <Form.Item name={[name, "kind"]} noStyle>
                  <Select aria-label={`规则 ${index + 1} 的写法`} options={kinds} style={{ width: 88 }} />
                </Form.Item>
                <Form.Item name={[name, "text"]} noStyle rules={[{ required: true, message: "请填写" }]}>
                  <Input
                    aria-label={`规则 ${index + 1} 的内容`}
                    placeholder="/home/某人/私密"
                    spellCheck={false}
                  />
                </Form.Item>
                <Button
                  type="text"
                  icon={<Icon name="close" size={14} />}
                  aria-label={`移除规则 ${index + 1}`}
                  onClick={() => remove(name)}
                />
              </Flex>
            ))}
            <Button
              icon={<Icon name="plus" size={14} />}
              onClick={() => add({ effect: "deny", kind: "path", text: "" })}
            >
              添加规则
            </Button>
          </Flex>
        )}
      </Form.List>
    </Form.Item>
  );
}
