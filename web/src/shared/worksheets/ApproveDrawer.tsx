// Approves a request: its figures can be changed before, and take effect at once.
import { App, Form, Input } from "antd";
import type { Dayjs } from "dayjs";
import { useState } from "react";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { FormGroup } from "@/shared/form/FormGroup";
import { LastDayPicker } from "@/shared/form/LastDayPicker";
import { QuotaFields } from "@/shared/quotas/QuotaFields";
import type { QuotaForm } from "@/shared/quotas/quotas";
import styles from "./ApproveDrawer.module.css";
import { AskedFigures } from "./AskedFigures";
import type { WorksheetDetail } from "./api";
import { CardsFields } from "./CardsFields";
import { useApprove } from "./decide";
import { type CardsValues, cardsValues, figureName, granted, sentCards, withAsked } from "./figures";

interface Approval {
  quotas?: QuotaForm;
  /** The last day of these quotas; empty: for good. */
  quotasUntil?: Dayjs | null;
  cards?: CardsValues;
  comment: string;
}

interface ApproveDrawerProps {
  one: WorksheetDetail;
  open: boolean;
  onClose: () => void;
}

export function ApproveDrawer({ one, open, onClose }: ApproveDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<Approval>();
  const approve = useApprove();
  // The order at opening: other users' changes must not move fields during the decision.
  const [{ quotas: asked, cards, holdings }] = useState(one);
  const present = holdings?.quotas;

  const [initial] = useState<Approval>(() => ({
    ...(asked && present && { quotas: withAsked(present, asked) }),
    ...(cards && { cards: cardsValues(cards) }),
    comment: "",
  }));

  function submit(values: Approval) {
    const body = {
      ...(values.quotas && present && asked && { quotas: granted(values.quotas, present, asked) }),
      ...(values.quotasUntil && { quotasUntil: values.quotasUntil.endOf("day").toISOString() }),
      ...(values.cards && { cards: sentCards(values.cards) }),
      comment: values.comment,
    };
    const done = () => {
      message.success(values.quotas ? "已批准，配额已生效" : "已批准，分配已生效", 1.5);
      onClose();
    };
    approve.mutate({ id: one.id, body }, { onSuccess: done });
  }

  return (
    <FormDrawer<Approval>
      open={open}
      title={`批准 ${one.requester.name || one.requester.username} 的申请`}
      form={form}
      initialValues={initial}
      submitText="批准并生效"
      formName={figureName}
      error={approve.error}
      submitting={approve.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <FormGroup title="申请">
        <div className={styles.asked}>
          <AskedFigures one={one} />
        </div>
      </FormGroup>
      {initial.quotas && (
        <FormGroup title="批准后的配额">
          <QuotaFields at={["quotas"]} />
          <Form.Item
            name="quotasUntil"
            label="有效到"
            extra="过了这天恢复成批准前的配额，运行中的实例不受影响；留空为长期有效"
          >
            <LastDayPicker />
          </Form.Item>
        </FormGroup>
      )}
      {initial.cards && (
        <FormGroup title="分配给申请人">
          <CardsFields form={form} decides />
        </FormGroup>
      )}
      <Form.Item name="comment" label="留言">
        <Input.TextArea placeholder="可以不填" autoSize={{ minRows: 2, maxRows: 6 }} maxLength={5000} />
      </Form.Item>
    </FormDrawer>
  );
}
