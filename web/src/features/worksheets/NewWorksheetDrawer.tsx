// A new order. Its type decides its fields: figures for quotas and cards, or an instance.
import { App, Form } from "antd";
import { FormDrawer } from "@/shared/form/FormDrawer";
import type { WorksheetDetail, WorksheetKind, WorksheetPrefill } from "@/shared/worksheets/api";
import { blankCards, figureName, sentCards, sentQuotas } from "@/shared/worksheets/figures";
import { useAsk } from "./api";
import { longestContent, longestTitle, WorksheetFields, type WorksheetValues } from "./WorksheetFields";

interface NewWorksheetDrawerProps {
  open: boolean;
  /** The type, if the page that opened the form knows it. */
  type: WorksheetKind | undefined;
  /** Content from the page that opened the form. */
  prefill: WorksheetPrefill;
  onClose: () => void;
  onMade: (made: WorksheetDetail) => void;
}

export function NewWorksheetDrawer({
  open,
  type = "quota",
  prefill: { title = "", content = "", instance },
  onClose,
  onMade,
}: NewWorksheetDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<WorksheetValues>();
  const ask = useAsk();

  function submit(values: WorksheetValues) {
    const { quotas, cards, instance, attachments = [], ...rest } = values;
    const body = {
      ...rest,
      attachments: attachments.map((path) => ({ path })),
      ...(instance && { instance }),
      ...(rest.type === "quota" && { quotas: sentQuotas(quotas ?? {}) }),
      ...(rest.type === "cards" && cards && { cards: sentCards(cards) }),
    };
    ask.mutate(body, {
      onSuccess: (made) => {
        message.success(`工单 #${made.number} 已提交`, 1.5);
        onMade(made);
      },
    });
  }

  return (
    <FormDrawer<WorksheetValues>
      open={open}
      title="新建工单"
      form={form}
      initialValues={{
        type,
        title: title.slice(0, longestTitle),
        content: content.slice(0, longestContent),
        instance: instance ?? null,
        priority: "normal",
        attachments: [],
        quotas: {},
        cards: blankCards,
      }}
      submitText="提交"
      formName={figureName}
      error={ask.error}
      submitting={ask.isPending}
      width={520}
      onSubmit={submit}
      onClose={onClose}
    >
      <WorksheetFields form={form} />
    </FormDrawer>
  );
}
