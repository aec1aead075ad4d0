// The time span of charts, kept in the URL.
import { Segmented } from "antd";
import { useSearchParams } from "react-router";

/** Minutes. Up to an hour there is a sample every 5 s, beyond that every minute. */
const spans = [
  { value: 30, label: "30 分钟" },
  { value: 360, label: "6 小时" },
  { value: 1440, label: "24 小时" },
  { value: 10_080, label: "7 天" },
] as const;

const usual = spans[0].value;

export function useSpan(): number {
  const [address] = useSearchParams();
  const asked = Number(address.get("span"));
  return spans.find(({ value }) => value === asked)?.value ?? usual;
}

export function SpanPicker() {
  const [, setAddress] = useSearchParams();
  const span = useSpan();
  return (
    <Segmented<number>
      aria-label="时间范围"
      value={span}
      options={spans.map(({ value, label }) => ({ value, label }))}
      onChange={(value) =>
        setAddress(
          (old) => {
            const next = new URLSearchParams(old);
            if (value === usual) next.delete("span");
            else next.set("span", String(value));
            return next;
          },
          { replace: true },
        )
      }
    />
  );
}
