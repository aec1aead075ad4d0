// A form as a page: sections as cards, one bar at the bottom that saves or discards the changes.
import { Button, ConfigProvider, Flex, Form, type FormInstance } from "antd";
import { type ReactNode, useCallback, useState } from "react";
import type { Failure } from "@/shared/ui/failure";
import { usePhone } from "@/shared/ui/usePhone";
import { FormAlert } from "./FormAlert";
import styles from "./FormPage.module.css";
import { countFaults, type FormName, RecountFaults, useServerFaults } from "./form-faults";
import { formNotes, formTheme } from "./form-looks";
import { requiredMark } from "./RequiredMark";

interface FormPageProps<Values extends object> {
  /** Names the form for the ids of its fields. */
  name: string;
  form: FormInstance<Values>;
  initialValues: Values;
  dirty: boolean;
  onDirty: (dirty: boolean) => void;
  error: Failure | null;
  submitting: boolean;
  onSubmit: (values: Values) => void;
  formName?: FormName;
  children: ReactNode;
}

export function FormPage<Values extends object>(props: FormPageProps<Values>) {
  const { name, form, initialValues, dirty, onDirty, error, submitting, onSubmit, formName } = props;
  const phone = usePhone();
  const [faults, setFaults] = useState(0);
  const elsewhere = useServerFaults(form, error, setFaults, formName);
  const recount = useCallback(() => setFaults(countFaults(form)), [form]);

  function takeBack() {
    form.resetFields();
    setFaults(0);
    onDirty(false);
  }

  return (
    <ConfigProvider componentSize="medium" theme={formTheme(phone)}>
      <Form<Values>
        name={name}
        form={form}
        initialValues={initialValues}
        layout={phone ? "vertical" : "horizontal"}
        labelCol={phone ? undefined : { flex: "140px" }}
        wrapperCol={phone ? undefined : { flex: "0 1 520px" }}
        colon={false}
        requiredMark={requiredMark}
        styles={formNotes}
        scrollToFirstError={{ block: "center", focus: true }}
        onFinish={onSubmit}
        onValuesChange={() => onDirty(true)}
        onFieldsChange={recount}
      >
        <FormAlert messages={elsewhere} />
        <Flex vertical gap={16}>
          <RecountFaults value={recount}>{props.children}</RecountFaults>
        </Flex>
        <div className={styles.foot}>
          <span className={styles.note} aria-live="polite">
            {faults > 0 ? `${faults} 处需要修改` : dirty ? "有未保存的修改" : ""}
          </span>
          <Button onClick={takeBack} disabled={!dirty || submitting}>
            放弃修改
          </Button>
          <Button type="primary" htmlType="submit" loading={submitting} disabled={!dirty}>
            保存
          </Button>
        </div>
      </Form>
    </ConfigProvider>
  );
}
