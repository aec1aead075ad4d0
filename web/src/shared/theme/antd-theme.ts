// The tokens in Ant Design's form. Its own derived colours are too bright for this design, so the important ones are
// set explicitly in both schemes.
import { type ThemeConfig, theme } from "antd";
import { accentOf } from "./accent";
import {
  control,
  fixed,
  font,
  fontMono,
  fontSans,
  frame,
  motion,
  palettes,
  radius,
  type Scheme,
  space,
  type ThemeColor,
} from "./tokens";

/** Touch targets: high enough at every size that a page uses. */
const fingerField = {
  controlHeightSM: control.main,
  controlHeight: control.main,
  controlHeightLG: control.finger,
};

const finger = {
  controlHeightSM: control.finger,
  controlHeight: control.finger,
  controlHeightLG: control.finger,
};

/** Added on a phone where a finger must hit everything at once: buttons, fields, menus, a dialogue's ✕ (WCAG 2.5.5). */
export const fingerTheme: ThemeConfig = {
  token: finger,
  components: { Input: finger, InputNumber: finger, Select: finger, Dropdown: { paddingBlock: space.md } },
};

interface Looks {
  /** Room for fingers in fields. */
  phone?: boolean;
  /** Without animations. */
  still?: boolean;
}

export function antdTheme(
  color: ThemeColor,
  scheme: Scheme,
  { phone = false, still = false }: Looks = {},
): ThemeConfig {
  const p = palettes[scheme];
  const a = accentOf(color, scheme);
  const field = phone ? fingerField : {};
  // The dark scheme's solid under the mouse is too dark for words.
  const wordsHover = scheme === "dark" ? a.primaryText : a.primaryHover;
  return {
    cssVar: { key: "yunlab" },
    hashed: false,
    algorithm: [
      scheme === "dark" ? theme.darkAlgorithm : theme.defaultAlgorithm,
      // The dark algorithm dims these six whatever the tokens say, because they are its seeds too.
      (seed, map) => ({
        ...(map ?? theme.defaultAlgorithm(seed)),
        colorPrimary: a.primary,
        colorLink: a.primaryText,
        colorSuccess: p.ok,
        colorInfo: p.info,
        colorWarning: p.warn,
        colorError: p.err,
      }),
    ],
    token: {
      colorPrimary: a.primary,
      colorPrimaryHover: a.primaryHover,
      colorPrimaryActive: a.primaryActive,
      colorPrimaryText: a.primaryText,
      colorPrimaryTextHover: wordsHover,
      colorPrimaryBg: a.primaryBg,
      colorPrimaryBgHover: a.primaryBg,
      colorPrimaryBorder: a.primaryBorder,
      colorPrimaryBorderHover: a.primaryText,
      colorLink: a.primaryText,
      colorLinkHover: wordsHover,
      colorLinkActive: a.primaryActive,
      controlItemBgActive: a.primaryBg,
      controlItemBgActiveHover: a.primaryBg,
      controlItemBgHover: p.fill,
      controlOutline: a.primaryBg,
      colorText: p.text,
      colorTextHeading: p.text,
      colorTextSecondary: p.text2,
      colorTextLabel: p.text2,
      colorTextTertiary: p.text3,
      colorTextDescription: p.text3,
      colorTextPlaceholder: p.text3,
      colorTextQuaternary: p.text4,
      colorTextDisabled: p.text4,
      colorIcon: p.text3,
      colorIconHover: p.text,
      colorBgLayout: p.layout,
      colorBgContainer: p.card,
      colorBgElevated: p.elevated,
      colorBgSpotlight: p.tooltip,
      colorTextLightSolid: fixed.onSolid,
      colorBgContainerDisabled: p.fill,
      colorBgMask: p.scrim,
      colorFill: p.fill2,
      colorFillSecondary: p.fill2,
      colorFillTertiary: p.fill,
      colorFillQuaternary: p.sunken,
      colorFillAlter: p.sunken,
      colorFillContent: p.fill,
      colorBorder: p.border,
      colorBorderSecondary: p.split,
      colorSplit: p.split,
      colorSuccess: p.ok,
      colorSuccessText: p.ok,
      colorSuccessBorder: p.okLine,
      colorSuccessBg: p.okBg,
      colorInfo: p.info,
      colorInfoText: p.info,
      colorInfoBorder: p.infoLine,
      colorInfoBg: p.infoBg,
      colorWarning: p.warn,
      colorWarningText: p.warn,
      colorWarningBorder: p.warnLine,
      colorWarningBg: p.warnBg,
      colorError: p.err,
      // The derived one is too light for white text.
      colorErrorHover: p.err,
      colorErrorText: p.err,
      colorErrorBorder: p.errLine,
      colorErrorBg: p.errBg,
      fontFamily: fontSans,
      fontFamilyCode: fontMono,
      fontSize: font.body,
      fontSizeSM: font.sm,
      fontSizeLG: font.lg,
      fontSizeHeading4: font.page,
      fontWeightStrong: 600,
      lineHeight: 20 / 13,
      lineHeightSM: 18 / 12,
      lineHeightLG: 22 / 14,
      borderRadius: radius.md,
      borderRadiusSM: radius.md,
      borderRadiusXS: radius.sm,
      borderRadiusLG: radius.lg,
      controlHeightXS: control.row,
      controlHeightSM: control.base,
      controlHeight: control.dialog,
      controlHeightLG: control.main,
      boxShadow: p.popupShadow,
      boxShadowSecondary: p.popupShadow,
      motion: !still,
      motionDurationFast: motion.fast,
      motionDurationMid: motion.mid,
      motionDurationSlow: motion.mid,
      motionEaseInOut: motion.ease,
    },
    components: {
      Button: {
        borderRadiusLG: radius.md,
        primaryShadow: "none",
        defaultShadow: "none",
        dangerShadow: "none",
        // The dark scheme's red is bright: white on it could not be read.
        dangerColor: scheme === "dark" ? p.errBg : fixed.onSolid,
        defaultHoverColor: wordsHover,
        defaultHoverBorderColor: wordsHover,
        defaultActiveColor: wordsHover,
        defaultActiveBorderColor: wordsHover,
        paddingInlineSM: 10,
        contentFontSizeSM: font.body,
      },
      // The same for the entry that deletes, while the mouse is over it.
      Dropdown: { colorTextLightSolid: scheme === "dark" ? p.errBg : fixed.onSolid },
      Form: { verticalLabelPadding: "0 0 6px", itemMarginBottom: space.md, labelColor: p.text2 },
      Checkbox: { borderRadiusSM: radius.sm },
      Input: { ...field, borderRadiusLG: radius.md, activeShadow: `0 0 0 2px ${a.primaryBg}` },
      InputNumber: { ...field, borderRadiusLG: radius.md },
      Select: { ...field, borderRadiusLG: radius.md },
      DatePicker: field,
      Layout: { siderBg: p.menuBg, bodyBg: p.layout, headerHeight: frame.top },
      Menu: { itemHeight: control.dialog },
      Progress: { remainingColor: p.fill2 },
      Table: {
        headerBg: p.sunken,
        headerColor: p.text3,
        headerSplitColor: "transparent",
        rowHoverBg: p.hover,
        rowSelectedBg: a.primaryBg,
        rowSelectedHoverBg: a.primaryBg,
        borderColor: p.split,
        cellPaddingBlockSM: 6,
        cellPaddingInlineSM: 10,
        cellFontSizeSM: font.body,
        headerBorderRadius: 0,
      },
      Tag: { defaultBg: p.fill, defaultColor: p.text2, borderRadiusSM: radius.sm },
      Tooltip: { colorTextLightSolid: fixed.tooltipText },
      Badge: { colorError: fixed.badge },
    },
  };
}
