// A number with its unit inside the field.
import { InputNumber, type InputNumberProps } from "antd";
import styles from "./UnitInput.module.css";

interface UnitInputProps extends Omit<InputNumberProps<number>, "suffix" | "controls" | "formatter"> {
  unit: string;
}

export function UnitInput({ unit, ...field }: UnitInputProps) {
  return (
    <InputNumber<number>
      {...field}
      controls={false}
      formatter={plain}
      className={styles.field}
      suffix={<span className={styles.unit}>{unit}</span>}
    />
  );
}

/** 32, not 32.00: the precision is for rounding typed values. */
function plain(value: number | undefined, info: { userTyping: boolean; input: string }): string {
  if (info.userTyping) return info.input;
  return value === undefined || String(value) === "" ? "" : String(Number(value));
}
