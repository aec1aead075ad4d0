// An address as a QR code, dark on white in every theme: readers need that, and the white rim.
import { QRCode } from "antd";

/** A code with more in it has points too small for a phone's camera. */
const longest = 1000;
/** A longer text is drawn larger. */
const long = 200;

interface ShareQrProps {
  address: string;
  label: string;
}

export function ShareQr({ address, label }: ShareQrProps) {
  const { length } = address;
  if (length > longest) return <span style={{ color: "var(--c-text3)" }}>链接太长，不能生成二维码</span>;
  return (
    <QRCode
      type="svg"
      value={address}
      aria-label={label}
      size={length > long ? 200 : 112}
      errorLevel="L"
      marginSize={2}
      bordered={false}
      color="#10161d"
      bgColor="#fff"
      style={{ flex: "none", padding: 0, borderRadius: "var(--r-md)" }}
    />
  );
}
