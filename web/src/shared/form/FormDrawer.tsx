// A form in a drawer of 480 px: labels left of the fields (above them on a phone), faults counted in the footer, the
// primary button right. Closing a changed form asks first.
import { App, Button, ConfigProvider, Drawer, Flex, Form, type FormInstance } from "antd";
import { type ReactNode, useId, useState } from "react";
import type { Failure } from "@/shared/ui/failure";
import { usePhone } from "@/shared/ui/usePhone";
import { drawerClose } from "./drawer-close";
import { FormAlert } from "./FormAlert";
import styles from "./FormDrawer.module.css";
import { countFaults, type FormName, useServerFaults } from "./form-faults";
import { formNotes, formTheme } from "./form-looks";
import { requiredMark } from "./RequiredMark";

interface FormDrawerProps<Values extends object> {
  title: string;
  open: boolean;
  form: FormInstance<Values>;
  /** Null while they are being fetched. */
  initialValues: Values | null;
  /** Instead of the form when they could not be fetched. */
  missing?: ReactNode;
  /** 创建, 保存 */
  submitText: string;
  error: Failure | null;
  submitting: boolean;
  onSubmit: (values: Values) => void;
  onClose: () => void;
  formName?: FormName;
  width?: number;
  children: ReactNode;
}

export function FormDrawer<Values extends object>(props: FormDrawerProps<Values>) {
  const { title, open, form, submitText, submitting, onClose } = props;
  const { modal } = App.useApp();
  const phone = usePhone();
  const id = useId();
  const [faults, setFaults] = useState(0);

  function close() {
    if (submitting) return;
    if (!form.isFieldsTouched()) {
      onClose();
      return;
    }
    modal.confirm({
      title: "放弃填写的内容？",
      content: "这个表单还没有提交，关闭后填写的内容不会保留。",
      okText: "放弃",
      okButtonProps: { danger: true },
      cancelText: "继续填写",
      focusable: { autoFocusButton: "cancel" },
      onOk: onClose,
    });
  }

  return (
    <ConfigProvider componentSize="medium" theme={formTheme(phone)}>
      <Drawer
        title={title}
        open={open}
        onClose={close}
        afterOpenChange={() => setFaults(0)}
        size={phone ? "100%" : (props.width ?? 480)}
        destroyOnHidden
        closable={drawerClose}
        footer={
          <Flex gap={8} align="center" className={styles.foot}>
            <span className={styles.faults} aria-live="polite">
              {faults > 0 && `${faults} 处需要修改`}
            </span>
            <Button onClick={close} disabled={submitting}>
              取消
            </Button>
            <Button
              type="primary"
              htmlType="submit"
              form={id}
              loading={submitting}
              disabled={!props.initialValues}
            >
              {submitText}
            </Button>
          </Flex>
        }
      >
        {props.initialValues ? (
          <DrawerForm
            {...props}
            initialValues={props.initialValues}
            id={id}
            phone={phone}
            onFaults={setFaults}
          />
        ) : (
          (props.missing ?? <FormSkeleton />)
        )}
      </Drawer>
    </ConfigProvider>
  );
}

interface DrawerFormProps<Values extends object> extends FormDrawerProps<Values> {
  initialValues: Values;
  id: string;
  phone: boolean;
  onFaults: (count: number) => void;
}

/** Lives only while the drawer is open, so every opening starts from the initial values. */
function DrawerForm<Values extends object>(props: DrawerFormProps<Values>) {
  const { id, form, initialValues, error, formName, phone, onSubmit, onFaults } = props;
  const elsewhere = useServerFaults(form, error, onFaults, formName);
  return (
    <Form<Values>
      id={id}
      name={id}
      form={form}
      initialValues={initialValues}
      layout={phone ? "vertical" : "horizontal"}
      labelCol={phone ? undefined : { flex: "100px" }}
      colon={false}
      requiredMark={requiredMark}
      styles={formNotes}
      preserve={false}
      scrollToFirstError={{ block: "center", focus: true }}
      className={styles.form}
      onFinish={onSubmit}
      onFieldsChange={() => onFaults(countFaults(form))}
    >
      <FormAlert messages={elsewhere} />
      {props.children}
    </Form>
  );
}

/** Bars where the fields will be, after 200 ms. */
function FormSkeleton() {
  return (
    <div className={styles.skeleton} role="status" aria-label="正在加载">
      {["a", "b", "c", "d", "e", "f"].map((key) => (
        <i key={key} />
      ))}
    </div>
  );
}
