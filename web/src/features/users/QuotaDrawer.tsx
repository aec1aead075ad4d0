// Sets the same quotas for several users; empty fields change nothing.
import { App, Form } from "antd";
import type { Dayjs } from "dayjs";
import { FormDrawer } from "@/shared/form/FormDrawer";
import { LastDayPicker } from "@/shared/form/LastDayPicker";
import { LimitInput, type Zero } from "@/shared/form/LimitInput";
import { UnitInput } from "@/shared/form/UnitInput";
import { CPU_PERIOD, GB, quotaFormName } from "@/shared/quotas/quotas";
import { type QuotaData, type User, useAdjustQuotas } from "./api";
import { failures } from "./UserBatch";

interface AdjustForm {
  instanceLimit?: number | null;
  instanceLimitOffset?: number | null;
  GPUNumlimit?: number | null;
  cores?: number | null;
  memoryGb?: number | null;
  diskGb?: number | null;
  /** The last day of these quotas; empty: for good. */
  until?: Dayjs | null;
}

interface Field {
  name: Exclude<keyof AdjustForm, "until">;
  label: string;
  unit: string;
  precision: number;
  /** The meaning of 0; without it, 0 is an ordinary number. */
  zero?: Zero;
}

const fields: readonly Field[] = [
  { name: "instanceLimit", label: "实例", unit: "个", precision: 0 },
  { name: "instanceLimitOffset", label: "临时增加", unit: "个", precision: 0 },
  { name: "GPUNumlimit", label: "显卡", unit: "张", precision: 0, zero: "none" },
  { name: "cores", label: "CPU", unit: "核", precision: 2, zero: "unlimited" },
  { name: "memoryGb", label: "内存", unit: "GB", precision: 2, zero: "unlimited" },
  { name: "diskGb", label: "网盘", unit: "GB", precision: 2, zero: "unlimited" },
];

export function adjustData(form: AdjustForm): QuotaData {
  const given = (value: number | null | undefined): value is number => typeof value === "number";
  return {
    ...(given(form.instanceLimit) && { instanceLimit: form.instanceLimit }),
    ...(given(form.instanceLimitOffset) && { instanceLimitOffset: form.instanceLimitOffset }),
    ...(given(form.GPUNumlimit) && { GPUNumlimit: form.GPUNumlimit }),
    ...(given(form.cores) && { CPUPeriodQuota: Math.round(form.cores * CPU_PERIOD) }),
    ...(given(form.memoryGb) && { memoryLimit: Math.round(form.memoryGb * GB) }),
    ...(given(form.diskGb) && { diskQuota: Math.round(form.diskGb * GB) }),
  };
}

interface QuotaDrawerProps {
  open: boolean;
  users: readonly User[];
  onClose: () => void;
  /** Receives the accounts that could not be changed. */
  onDone: (left: readonly User[]) => void;
}

export function QuotaDrawer({ open, users, onClose, onDone }: QuotaDrawerProps) {
  const { message } = App.useApp();
  const [form] = Form.useForm<AdjustForm>();
  const adjust = useAdjustQuotas();

  function submit(values: AdjustForm) {
    const data = adjustData(values);
    if (Object.keys(data).length === 0) {
      message.info("没有填写要调整的配额", 1);
      return;
    }
    adjust.mutate(
      { users, data, until: values.until?.endOf("day").toISOString() ?? null },
      {
        onSuccess: (result) => {
          if (result.failed.length === 0) message.success(`已调整 ${result.done.length} 人的配额`, 1.5);
          else message.error(failures(result), 2);
          onDone(result.failed.map(({ user }) => user));
          onClose();
        },
      },
    );
  }

  return (
    <FormDrawer<AdjustForm>
      open={open}
      title={`调整 ${users.length} 人的配额`}
      form={form}
      initialValues={{}}
      submitText="调整"
      formName={quotaFormName}
      error={adjust.error}
      submitting={adjust.isPending}
      onClose={onClose}
      onSubmit={submit}
    >
      <p style={{ margin: "0 0 16px" }}>留空的项保持各人原来的值。</p>
      {fields.map(({ name, label, unit, precision, zero }) => (
        <Form.Item key={name} name={name} label={label}>
          {zero ? (
            <LimitInput zero={zero} precision={precision} placeholder="不变" unit={unit} />
          ) : (
            <UnitInput min={0} precision={precision} placeholder="不变" unit={unit} />
          )}
        </Form.Item>
      ))}
      <Form.Item
        name="until"
        label="有效到"
        extra="过了这天恢复成调整前的配额，运行中的实例不受影响；留空为长期有效"
      >
        <LastDayPicker />
      </Form.Item>
    </FormDrawer>
  );
}
