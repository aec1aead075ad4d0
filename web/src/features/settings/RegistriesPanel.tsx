// Registries with an account, and the one that the lab's images are pushed to. A form of its own, because it is stored
// separately from the other settings, and passwords cannot be read back.
import { useQuery } from "@tanstack/react-query";
import { App, Button, Checkbox, ConfigProvider, Flex, Form, Input } from "antd";
import { useState } from "react";
import { FormAlert } from "@/shared/form/FormAlert";
import { useServerFaults } from "@/shared/form/form-faults";
import { formNotes, formTheme } from "@/shared/form/form-looks";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { usePhone } from "@/shared/ui/usePhone";
import { type RegistryForm, type RegistrySettings, registriesQuery, useSaveRegistries } from "./api";
import { formName } from "./form-name";
import styles from "./RegistriesPanel.module.css";

interface RegistriesForm {
  items: (RegistryForm & { passwordSet?: boolean })[];
}

const empty: RegistriesForm["items"][number] = { address: "", username: "", password: "", push: false };

const nothing = () => {};

export function RegistriesPanel() {
  const { data, error, refetch } = useQuery(registriesQuery);
  return (
    <Panel title="镜像仓库" padded>
      {data ? (
        <RegistriesFields stored={data.items} />
      ) : error ? (
        <ErrorPanel title="镜像仓库没有取到" error={error} onRetry={() => void refetch()} />
      ) : (
        <TableSkeleton rows={2} rowHeight={40} />
      )}
    </Panel>
  );
}

function RegistriesFields({ stored }: { stored: readonly RegistrySettings[] }) {
  const phone = usePhone();
  const { message } = App.useApp();
  const [form] = Form.useForm<RegistriesForm>();
  const [dirty, setDirty] = useState(false);
  const save = useSaveRegistries();
  const elsewhere = useServerFaults(form, save.error, nothing, formName);
  const rows = Form.useWatch("items", form);

  function submit({ items = [] }: Partial<RegistriesForm>) {
    const changed = items.map(({ address, username, password, push }) => ({
      address: address.trim(),
      username: username?.trim() ?? "",
      password: password ?? "",
      push: push ?? false,
    }));
    save.mutate(changed, {
      onSuccess: (saved) => {
        form.setFieldsValue({ items: saved.items.map((one) => ({ ...one, password: "" })) });
        setDirty(false);
        message.success("镜像仓库已保存", 1.5);
      },
    });
  }

  /** Keeps at most one registry to push to. */
  function onlyOne(index: number, push: boolean) {
    if (!push) return;
    rows?.forEach((_, other) => {
      if (other !== index) form.setFieldValue(["items", other, "push"], false);
    });
  }

  return (
    <ConfigProvider componentSize="medium" theme={formTheme(phone)}>
      <Form<RegistriesForm>
        name="registries"
        form={form}
        initialValues={{ items: stored.map((one) => ({ ...one, password: "" })) }}
        layout="vertical"
        requiredMark={false}
        styles={formNotes}
        onFinish={submit}
        onValuesChange={() => setDirty(true)}
      >
        <p className={styles.note}>
          需要账号的仓库，以及保存实验室自己的镜像的仓库。密码加密保存，不会显示。
        </p>
        <FormAlert messages={elsewhere} />
        <Form.List name="items">
          {(fields, { add, remove }) => (
            <Flex vertical gap={8}>
              {fields.map(({ key, name }) => (
                <div key={key} className={styles.row}>
                  <Form.Item
                    name={[name, "address"]}
                    label="地址"
                    rules={[{ required: true, message: "请填写地址" }]}
                  >
                    <Input placeholder="registry.lab.cn:5000" autoComplete="off" spellCheck={false} />
                  </Form.Item>
                  <Form.Item name={[name, "username"]} label="用户名">
                    <Input placeholder="不需要账号则留空" autoComplete="off" spellCheck={false} />
                  </Form.Item>
                  <Form.Item name={[name, "password"]} label="密码">
                    <Input.Password
                      placeholder={rows?.[name]?.passwordSet ? "已经设置，留空保持不变" : ""}
                      autoComplete="new-password"
                    />
                  </Form.Item>
                  <Form.Item name={[name, "push"]} valuePropName="checked" className={styles.push}>
                    <Checkbox onChange={({ target }) => onlyOne(name, target.checked)}>
                      保存实验室的镜像
                    </Checkbox>
                  </Form.Item>
                  <Button
                    type="text"
                    className={styles.push}
                    aria-label={`删除第 ${name + 1} 个镜像仓库`}
                    title="删除这一行"
                    icon={<Icon name="trash" />}
                    onClick={() => remove(name)}
                  />
                </div>
              ))}
              <Flex gap={8}>
                <Button icon={<Icon name="plus" size={14} />} onClick={() => add({ ...empty })}>
                  添加镜像仓库
                </Button>
                <Button type="primary" htmlType="submit" disabled={!dirty} loading={save.isPending}>
                  保存镜像仓库
                </Button>
              </Flex>
            </Flex>
          )}
        </Form.List>
      </Form>
    </ConfigProvider>
  );
}
