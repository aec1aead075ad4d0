// The source of the certificate: three ways, with the settings of each.
import { App, Button, ConfigProvider, Form, Input, InputNumber, Radio, Switch } from "antd";
import { useState } from "react";
import { FormAlert } from "@/shared/form/FormAlert";
import { useServerFaults } from "@/shared/form/form-faults";
import { formNotes, formTheme } from "@/shared/form/form-looks";
import { useUnsavedGuard } from "@/shared/lib/use-unsaved-guard";
import { Panel } from "@/shared/ui/Panel";
import { usePhone } from "@/shared/ui/usePhone";
import { AcmeFields } from "./AcmeFields";
import { type HttpsOverview, useSaveHttps } from "./api";
import styles from "./Https.module.css";
import { fieldsOf, formOf, type HttpsFields, ways } from "./https-form";

const nothing = () => {};

export function HttpsFormPanel({ now }: { now: HttpsOverview }) {
  const phone = usePhone();
  const { message } = App.useApp();
  const [form] = Form.useForm<HttpsFields>();
  // A refetch must not change a form that is being filled in.
  const [stored, setStored] = useState(now);
  const [dirty, setDirty] = useState(false);
  const save = useSaveHttps();
  const elsewhere = useServerFaults(form, save.error, nothing);
  const way = Form.useWatch("way", form) ?? stored.way;
  useUnsavedGuard(dirty, "离开这个页面后，没有保存的设置不会保留。");

  function submit() {
    save.mutate(formOf(form.getFieldsValue(true), stored.eabKeySet), {
      onSuccess: (saved) => {
        setStored(saved);
        form.setFieldsValue(fieldsOf(saved));
        setDirty(false);
        message.success(saved.way === "off" ? "设置已保存" : "设置已保存，开始申请证书", 1.5);
      },
    });
  }

  return (
    <Panel title="证书从哪里来" padded>
      <ConfigProvider componentSize="medium" theme={formTheme(phone)}>
        <Form<HttpsFields>
          name="https"
          form={form}
          initialValues={fieldsOf(stored)}
          layout={phone ? "vertical" : "horizontal"}
          labelCol={phone ? undefined : { flex: "140px" }}
          wrapperCol={phone ? undefined : { flex: "0 1 520px" }}
          colon={false}
          requiredMark={false}
          styles={formNotes}
          onFinish={submit}
          onValuesChange={() => setDirty(true)}
        >
          <FormAlert messages={elsewhere} />
          <Form.Item name="way" label="来源">
            <Radio.Group className={styles.ways}>
              {ways.map(({ value, title, note }) => (
                <Radio key={value} value={value}>
                  <span className={styles.way}>
                    {title}
                    <small>{note}</small>
                  </span>
                </Radio>
              ))}
            </Radio.Group>
          </Form.Item>
          {way !== "off" && <NameFields acme={way === "acme"} />}
          {way === "acme" && <AcmeFields keySet={stored.eabKeySet} />}
          <Form.Item label={phone ? undefined : " "}>
            <Button type="primary" htmlType="submit" disabled={!dirty} loading={save.isPending}>
              {way === "off" ? "保存" : "保存并申请证书"}
            </Button>
          </Form.Item>
        </Form>
      </ConfigProvider>
    </Panel>
  );
}

function NameFields({ acme }: { acme: boolean }) {
  return (
    <>
      <Form.Item
        name="names"
        label="域名"
        rules={[{ required: true, whitespace: true, message: "请至少填写一个域名" }]}
        extra={
          acme
            ? "一行一个。都要指向本平台，公网能访问它们的 80 端口"
            : "一行一个，最常用的在前面。可以写 IP 地址和这台机器的主机名，例如 10.0.0.5、gpu01"
        }
      >
        <Input.TextArea autoSize={{ minRows: 2, maxRows: 8 }} spellCheck={false} />
      </Form.Item>
      <Form.Item name="port" label="对外的端口" extra="留空就是平台监听的 HTTPS 端口；中间有端口映射时填写">
        <InputNumber min={1} max={65_535} precision={0} placeholder="443" />
      </Form.Item>
      <Form.Item
        name="redirect"
        label="HTTP 转到 HTTPS"
        valuePropName="checked"
        extra="用 http:// 打开的网页自动转到 https://。接口和安装证书的页面不转。先确认 HTTPS 能用再打开"
      >
        <Switch />
      </Form.Item>
    </>
  );
}
