// 邮件通知: the mail server. A form of its own, because its password cannot be read back.
import { useQuery } from "@tanstack/react-query";
import { App, Button, ConfigProvider, Flex, Form } from "antd";
import { useRef, useState } from "react";
import { FormAlert } from "@/shared/form/FormAlert";
import { useServerFaults } from "@/shared/form/form-faults";
import { formNotes, formTheme } from "@/shared/form/form-looks";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { usePhone } from "@/shared/ui/usePhone";
import { type MailSettings, mailQuery, useForgetMail, useRetryMail, useSaveMail, useTestMail } from "./api";
import { MailFieldList } from "./MailFieldList";
import { type MailFields, mailFieldsOf, mailOf, mailStepTitles, portFor } from "./mail-form";
import { NoticesState } from "./NoticesState";
import { TestReport } from "./TestReport";

const nothing = () => {};

export function MailPanel() {
  const { data, error, refetch } = useQuery(mailQuery);
  return (
    <Panel title="邮件通知" padded>
      {data ? (
        <MailFormView now={data} />
      ) : error ? (
        <ErrorPanel title="邮件通知没有取到" error={error} onRetry={() => void refetch()} />
      ) : (
        <TableSkeleton rows={4} rowHeight={40} />
      )}
    </Panel>
  );
}

function MailFormView({ now }: { now: MailSettings }) {
  const phone = usePhone();
  const { message } = App.useApp();
  const [form] = Form.useForm<MailFields>();
  // A refetch must not change a form that is being filled in.
  const [stored, setStored] = useState(now);
  const [dirty, setDirty] = useState(false);
  const save = useSaveMail();
  const test = useTestMail();
  const retry = useRetryMail();
  const forget = useForgetMail();
  const elsewhere = useServerFaults(form, save.error ?? test.error, nothing);
  const values = Form.useWatch([], form);
  const tried = useRef("");
  const shown = JSON.stringify(values);
  const filled = (): MailFields => form.getFieldsValue(true);

  function submit() {
    test.reset();
    save.mutate(mailOf(filled(), stored.passwordSet), {
      onSuccess: (saved) => {
        setStored(saved);
        form.setFieldsValue({ ...mailFieldsOf(saved), to: filled().to });
        setDirty(false);
        message.success("邮件通知已保存", 1.5);
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
    test.mutate({ mail: mailOf(filled(), stored.passwordSet), to: filled().to.trim() });
  }

  return (
    <ConfigProvider componentSize="medium" theme={formTheme(phone)}>
      <Form<MailFields>
        name="mail"
        form={form}
        initialValues={mailFieldsOf(stored)}
        layout={phone ? "vertical" : "horizontal"}
        labelCol={phone ? undefined : { flex: "140px" }}
        wrapperCol={phone ? undefined : { flex: "0 1 520px" }}
        colon={false}
        requiredMark={false}
        styles={formNotes}
        onFinish={submit}
        onValuesChange={(change: Partial<MailFields>) => {
          if (change.security) form.setFieldValue("port", portFor(change.security, filled().port));
          if (change.to === undefined) setDirty(true);
        }}
      >
        <FormAlert messages={elsewhere} />
        <MailFieldList enabled={values?.enabled ?? stored.enabled} passwordSet={stored.passwordSet} />
        <Form.Item label={phone ? undefined : " "}>
          <Flex gap={8} wrap>
            <Button type="primary" htmlType="submit" disabled={!dirty} loading={save.isPending}>
              保存邮件通知
            </Button>
            <Button loading={test.isPending} onClick={() => void run()}>
              发一封测试邮件
            </Button>
          </Flex>
        </Form.Item>
        <div aria-live="polite">
          {test.data && !test.isPending && (
            <TestReport
              label="邮件测试结果"
              ok={test.data.ok}
              steps={test.data.steps.map((step) => ({ ...step, title: mailStepTitles[step.step] }))}
              outdated={tried.current !== shown}
            />
          )}
        </div>
      </Form>
      <NoticesState now={now} what="邮件" unit="封" retry={retry} forget={forget} />
    </ConfigProvider>
  );
}
