// Common parts of the settings pages: fetching, the states around the form, saving, and the question on leaving.
import { useQuery } from "@tanstack/react-query";
import { App, Form, type FormInstance } from "antd";
import { type ReactNode, useState } from "react";
import { type Settings, type SettingsUpdate, settingsQuery, useSaveSettings } from "@/shared/api/settings";
import { FormPage } from "@/shared/form/FormPage";
import type { FormName } from "@/shared/form/form-faults";
import { useUnsavedGuard } from "@/shared/lib/use-unsaved-guard";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { PageHeader } from "@/shared/ui/PageHeader";
import { Panel } from "@/shared/ui/Panel";

interface SettingsFrameProps<Values extends object> {
  name: string;
  title: string;
  meta: string;
  toForm: (settings: Settings) => Values;
  /** The stored settings are passed for values that the form does not show. */
  toUpdate: (form: Values, stored: Settings) => SettingsUpdate;
  formName: FormName;
  children: (stored: Settings) => ReactNode;
}

export function SettingsFrame<Values extends object>(props: SettingsFrameProps<Values>) {
  const settings = useQuery(settingsQuery);
  return (
    <>
      <PageHeader title={props.title} meta={props.meta} />
      {settings.data ? (
        <SettingsForm {...props} fetched={settings.data} />
      ) : (
        <Panel>
          {settings.error ? (
            <ErrorPanel title="设置没有取到" error={settings.error} onRetry={() => void settings.refetch()} />
          ) : (
            <TableSkeleton rows={8} rowHeight={52} />
          )}
        </Panel>
      )}
    </>
  );
}

function SettingsForm<Values extends object>(props: SettingsFrameProps<Values> & { fetched: Settings }) {
  const { name, fetched, toForm, toUpdate, formName, children } = props;
  const { message } = App.useApp();
  const [form]: [FormInstance<Values>] = Form.useForm<Values>();
  const [dirty, setDirty] = useState(false);
  // A refetch must not change a form that is being filled in: it keeps its initial values.
  const [stored, setStored] = useState(fetched);
  const save = useSaveSettings();
  useUnsavedGuard(dirty, "离开这个页面后，没有保存的设置不会保留。");

  function submit() {
    // All values, including those of hidden fields.
    const values = form.getFieldsValue(true);
    save.mutate(toUpdate(values, stored), {
      onSuccess: (saved) => {
        setStored(saved);
        form.setFieldsValue(toForm(saved));
        setDirty(false);
        message.success("设置已保存", 1.5);
      },
    });
  }

  return (
    <FormPage<Values>
      name={name}
      form={form}
      initialValues={toForm(stored)}
      dirty={dirty}
      onDirty={setDirty}
      error={save.error}
      submitting={save.isPending}
      onSubmit={submit}
      formName={formName}
    >
      {children(stored)}
    </FormPage>
  );
}
