// Edits a request, for its requester while it is not decided.
import { App, Form } from "antd";
import { useState } from "react";
import { FormDrawer } from "@/shared/form/FormDrawer";
import type { WorksheetDetail } from "@/shared/worksheets/api";
import { askedQuotas, cardsValues, figureName, sentCards, sentQuotas } from "@/shared/worksheets/figures";
import { useChangeWorksheet } from "./api";
import { WorksheetFields, type WorksheetValues } from "./WorksheetFields";

interface EditWorksheetDrawerProps {
  one: WorksheetDetail;
  open: boolean;
  onClose: () => void;
}

export function EditWorksheetDrawer({ one, open, onClose }: EditWorksheetDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<WorksheetValues>();
  const change = useChangeWorksheet();
  const [initial] = useState<WorksheetValues>(() => ({
    type: one.type,
    title: one.title,
    content: one.content,
    priority: one.priority,
    ...(one.quotas && { quotas: askedQuotas(one.quotas) }),
    ...(one.cards && { cards: cardsValues(one.cards) }),
  }));

  function submit({ title, content, priority, quotas, cards }: WorksheetValues) {
    const body = {
      title,
      content,
      priority,
      ...(one.quotas && { quotas: sentQuotas(quotas ?? {}) }),
      ...(one.cards && cards && { cards: sentCards(cards) }),
    };
    const done = () => {
      message.success("已保存", 1.5);
      onClose();
    };
    change.mutate({ id: one.id, body }, { onSuccess: done });
  }

  return (
    <FormDrawer<WorksheetValues>
      open={open}
      title={`修改工单 #${one.number}`}
      form={form}
      initialValues={initial}
      submitText="保存"
      formName={figureName}
      error={change.error}
      submitting={change.isPending}
      width={520}
      onSubmit={submit}
      onClose={onClose}
    >
      <WorksheetFields form={form} editing />
    </FormDrawer>
  );
}
