// 消息通知: notices to a chat group or a program of the lab. A form of its own, because its secret cannot be read back.
import { useQuery } from "@tanstack/react-query";
import { App, Button, Checkbox, ConfigProvider, Flex, Form, Input, Select, Switch } from "antd";
import { useRef, useState } from "react";
import { FormAlert } from "@/shared/form/FormAlert";
import { useServerFaults } from "@/shared/form/form-faults";
import { formNotes, formTheme } from "@/shared/form/form-looks";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { usePhone } from "@/shared/ui/usePhone";
import { webAddress } from "./address-rule";
import {
  useForgetNotices,
  useRetryNotices,
  useSaveWebhook,
  useTestWebhook,
  type WebhookSettings,
  webhookQuery,
} from "./api";
import { NoticesState } from "./NoticesState";
import { TestReport } from "./TestReport";
import styles from "./WebhookPanel.module.css";
import {
  eventOptions,
  formats,
  type NoticeForm,
  noticeFormOf,
  stepTitles,
  takesSecret,
  webhookOf,
} from "./webhook-form";

const nothing = () => {};

export function WebhookPanel() {
  const { data, error, refetch } = useQuery(webhookQuery);
  return (
    <Panel title="消息通知" padded>
      {data ? (
        <WebhookFields now={data} />
      ) : error ? (
        <ErrorPanel title="消息通知没有取到" error={error} onRetry={() => void refetch()} />
      ) : (
        <TableSkeleton rows={4} rowHeight={40} />
      )}
    </Panel>
  );
}

function WebhookFields({ now }: { now: WebhookSettings }) {
  const phone = usePhone();
  const { message } = App.useApp();
  const [form] = Form.useForm<NoticeForm>();
  // A refetch must not change a form that is being filled in.
  const [stored, setStored] = useState(now);
  const [dirty, setDirty] = useState(false);
  const [dropped, setDropped] = useState(false);
  const save = useSaveWebhook();
  const test = useTestWebhook();
  const retry = useRetryNotices();
  const forget = useForgetNotices();
  const elsewhere = useServerFaults(form, save.error ?? test.error, nothing);
  const values = Form.useWatch([], form);
  const tried = useRef("");
  const shown = JSON.stringify([values, dropped]);
  const keep = stored.secretSet && !dropped;
  const format = formats.find(({ value }) => value === values?.format);

  /** All values, also of the field that is not there for the chosen format. */
  const filled = (): NoticeForm => form.getFieldsValue(true);

  function submit() {
    test.reset();
    save.mutate(webhookOf(filled(), keep), {
      onSuccess: (saved) => {
        setStored(saved);
        setDropped(false);
        form.setFieldsValue(noticeFormOf(saved));
        setDirty(false);
        message.success("消息通知已保存", 1.5);
      },
    });
  }

  async function run() {
    save.reset();
    try {
      await form.validateFields();
    } catch {
      // The form shows the faults.
      return;
    }
    tried.current = shown;
    test.mutate(webhookOf(filled(), keep));
  }

  return (
    <ConfigProvider componentSize="medium" theme={formTheme(phone)}>
      <Form<NoticeForm>
        name="webhook"
        form={form}
        initialValues={noticeFormOf(stored)}
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
        <Form.Item
          name="enabled"
          label="发送通知"
          valuePropName="checked"
          extra="工单和异常行为发到群里；消息只有标题和链接，没有工单的内容。停用时丢弃等待发送的通知"
        >
          <Switch />
        </Form.Item>
        <Form.Item name="format" label="发给">
          <Select options={formats.map(({ value, label }) => ({ value, label }))} />
        </Form.Item>
        <Form.Item
          name="address"
          label="接收地址"
          rules={[{ required: values?.enabled, whitespace: true, message: "请填写地址" }, webAddress]}
          extra="群机器人的地址中包含密钥，加密保存。消息里的链接用上面的“平台地址”，没有填写时不带链接"
        >
          <Input placeholder={format?.example} inputMode="url" autoComplete="off" spellCheck={false} />
        </Form.Item>
        {takesSecret(values?.format) && (
          <Form.Item
            name="secret"
            label="签名密钥"
            extra={
              dropped
                ? "保存后不再签名"
                : stored.secretSet && (
                    <Flex component="span" gap={8} align="center" wrap>
                      已设置，留空保持不变
                      <Button
                        type="link"
                        size="small"
                        className={styles.drop}
                        onClick={() => {
                          setDropped(true);
                          setDirty(true);
                        }}
                      >
                        清除
                      </Button>
                    </Flex>
                  )
            }
          >
            <Input.Password placeholder={keep ? "••••••" : "没有则留空"} autoComplete="new-password" />
          </Form.Item>
        )}
        <Form.Item name="events" label="通知内容">
          <Checkbox.Group options={eventOptions} className={styles.events} />
        </Form.Item>
        <Form.Item label={phone ? undefined : " "}>
          <Flex gap={8} wrap>
            <Button type="primary" htmlType="submit" disabled={!dirty} loading={save.isPending}>
              保存消息通知
            </Button>
            <Button loading={test.isPending} onClick={() => void run()}>
              发送测试
            </Button>
          </Flex>
        </Form.Item>
        <div aria-live="polite">
          {test.data && !test.isPending && (
            <TestReport
              ok={test.data.ok}
              steps={test.data.steps.map((step) => ({ ...step, title: stepTitles[step.step] }))}
              outdated={tried.current !== shown}
            />
          )}
        </div>
      </Form>
      <NoticesState now={now} what="通知" unit="条" retry={retry} forget={forget} />
    </ConfigProvider>
  );
}
