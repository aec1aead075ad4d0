// The chosen theme on the whole page: Ant Design's and, through CSS variables, our own style sheets.
import { ConfigProvider } from "antd";
import type { Locale } from "antd/es/locale";
import zhCN from "antd/locale/zh_CN";
import dayjs from "dayjs";
import "dayjs/locale/zh-cn";
import { type ReactNode, useLayoutEffect, useMemo } from "react";
import { media, useMediaQuery } from "@/shared/lib/use-media-query";
import { useUi } from "@/shared/stores/ui";
import { antdTheme } from "@/shared/theme/antd-theme";
import { applyCssVariables } from "@/shared/theme/css-variables";
import { Icon } from "@/shared/theme/Icon";
import { useScheme } from "@/shared/theme/use-scheme";
import "./base.css";

dayjs.locale("zh-cn");

/** By default the eye of a password field is only called 显示. */
const locale: Locale = {
  ...zhCN,
  global: { placeholder: "请选择", ...zhCN.global, show: "显示密码", hide: "隐藏密码" },
};

export function ThemeProvider({ children }: { children: ReactNode }) {
  const color = useUi((ui) => ui.theme);
  const size = useUi((ui) => ui.size);
  const scheme = useScheme();
  const phone = useMediaQuery(media.phone);
  const still = useMediaQuery(media.still);
  const theme = useMemo(() => antdTheme(color, scheme, { phone, still }), [color, scheme, phone, still]);

  useLayoutEffect(() => applyCssVariables(color, scheme, still), [color, scheme, still]);

  return (
    <ConfigProvider
      locale={locale}
      theme={theme}
      componentSize={size}
      button={{ autoInsertSpace: false, loadingIcon: <Icon name="progress" size={14} spin /> }}
      inputPassword={{ iconRender: (visible) => <Icon name={visible ? "eyeOff" : "eye"} /> }}
      // On one line, whatever their heights: a button with the loading sign would stand higher than its neighbour.
      modal={{ styles: { footer: { display: "flex", justifyContent: "flex-end" } } }}
      drawer={{ styles: { wrapper: { boxShadow: "var(--c-drawer-shadow)" } } }}
    >
      {children}
    </ConfigProvider>
  );
}
