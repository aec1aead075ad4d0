// A range of two chosen days, both included; on a phone two fields that fit its width.
import { DatePicker, Flex } from "antd";
import dayjs, { type Dayjs } from "dayjs";
import { usePhone } from "@/shared/ui/usePhone";
import { type Days, labToday } from "./days";

interface DayRangeProps {
  days: Days;
  onChange: (days: Days) => void;
}

const write = (day: Dayjs) => day.format("YYYY-MM-DD");
const isAhead = (day: Dayjs) => write(day) > labToday();

export function DayRange({ days: { from, to }, onChange }: DayRangeProps) {
  const phone = usePhone();
  if (phone) {
    return (
      <Flex gap={8}>
        <DatePicker
          aria-label="开始日期"
          allowClear={false}
          inputReadOnly
          value={dayjs(from)}
          disabledDate={(day) => write(day) > to || isAhead(day)}
          onChange={(day) => day && onChange({ from: write(day), to })}
          style={{ flex: 1 }}
        />
        <DatePicker
          aria-label="结束日期"
          allowClear={false}
          inputReadOnly
          value={dayjs(to)}
          disabledDate={(day) => write(day) < from || isAhead(day)}
          onChange={(day) => day && onChange({ from, to: write(day) })}
          style={{ flex: 1 }}
        />
      </Flex>
    );
  }
  return (
    <DatePicker.RangePicker
      aria-label="起止日期"
      allowClear={false}
      value={[dayjs(from), dayjs(to)]}
      disabledDate={isAhead}
      onChange={(range) => range?.[0] && range[1] && onChange({ from: write(range[0]), to: write(range[1]) })}
      style={{ width: 240 }}
    />
  );
}
