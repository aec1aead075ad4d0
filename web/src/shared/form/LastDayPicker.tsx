// The last day of something, from today on; empty: for good.
import { DatePicker, type DatePickerProps } from "antd";
import dayjs, { type Dayjs } from "dayjs";

/** As late as the API takes a last day. */
const LATEST_YEARS = 50;

export function LastDayPicker(props: DatePickerProps<Dayjs, false>) {
  const today = dayjs();
  return (
    <DatePicker<Dayjs, false>
      {...props}
      placeholder="长期"
      minDate={today}
      maxDate={today.add(LATEST_YEARS, "year")}
      style={{ width: "100%" }}
    />
  );
}
