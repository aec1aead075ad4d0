// The last day of something, from today on; empty: for good.
import { DatePicker, type DatePickerProps } from "antd";
import dayjs, { type Dayjs } from "dayjs";

export function LastDayPicker(props: DatePickerProps<Dayjs, false>) {
  return <DatePicker<Dayjs, false> {...props} placeholder="长期" minDate={dayjs()} style={{ width: "100%" }} />;
}
