// Where a finger must hit everything: on a phone the buttons, fields and menus inside are 44 px high.
import { ConfigProvider } from "antd";
import type { ReactNode } from "react";
import { fingerTheme } from "@/shared/theme/antd-theme";
import { usePhone } from "./usePhone";

const asItIs = {};

export function FingerRoom({ children }: { children: ReactNode }) {
  return <ConfigProvider theme={usePhone() ? fingerTheme : asItIs}>{children}</ConfigProvider>;
}
