// A span of time as a filter: one field with both ends, on a phone two fields that fit its width.
import { DatePicker, Flex } from "antd";
import dayjs, { type Dayjs } from "dayjs";
import { usePhone } from "./usePhone";

interface TimeRangeProps {
  /** As the API writes times; open at an end that is left out. */
  from: string | undefined;
  to: string | undefined;
  onChange: (from: string | undefined, to: string | undefined) => void;
}

const format = "YYYY-MM-DD HH:mm";
const wholeDays = { format: "HH:mm", defaultOpenValue: [dayjs().startOf("day"), dayjs().endOf("day")] };

function parse(time: string | undefined): Dayjs | null {
  const at = time ? dayjs(time) : null;
  return at?.isValid() ? at : null;
}

const write = (at: Dayjs | null | undefined) => at?.toISOString();

const presets = () => [
  { label: "今天", value: [dayjs().startOf("day"), dayjs().endOf("day")] satisfies [Dayjs, Dayjs] },
  {
    label: "最近 7 天",
    value: [dayjs().subtract(6, "day").startOf("day"), dayjs().endOf("day")] satisfies [Dayjs, Dayjs],
  },
  {
    label: "最近 30 天",
    value: [dayjs().subtract(29, "day").startOf("day"), dayjs().endOf("day")] satisfies [Dayjs, Dayjs],
  },
];

export function TimeRange({ from, to, onChange }: TimeRangeProps) {
  const phone = usePhone();
  if (phone) {
    return (
      <Flex gap={8}>
        <DatePicker
          aria-label="开始时间"
          placeholder="开始时间"
          showTime={{ format: "HH:mm" }}
          format={format}
          value={parse(from)}
          onChange={(at) => onChange(write(at), to)}
          style={{ flex: 1 }}
        />
        <DatePicker
          aria-label="结束时间"
          placeholder="结束时间"
          showTime={{ format: "HH:mm" }}
          format={format}
          value={parse(to)}
          onChange={(at) => onChange(from, write(at))}
          style={{ flex: 1 }}
        />
      </Flex>
    );
  }
  return (
    <DatePicker.RangePicker
      aria-label="时间范围"
      placeholder={["开始时间", "结束时间"]}
      showTime={wholeDays}
      format={format}
      presets={presets()}
      allowEmpty={[true, true]}
      value={[parse(from), parse(to)]}
      onChange={(range) => onChange(write(range?.[0]), write(range?.[1]))}
      style={{ width: 272 }}
    />
  );
}
