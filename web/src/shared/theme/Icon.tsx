// One icon. Decorative by default: the text beside it, or the button's `aria-label`, is the accessible name.
import type { CSSProperties } from "react";
import "./icon.css";
import { type IconName, iconShapes } from "./icon-shapes";

interface IconProps {
  name: IconName;
  /** 16 by default; 14 inside buttons and states, 28 in empty views. */
  size?: number;
  /** Turns slowly; for work in progress. */
  spin?: boolean;
  className?: string;
  style?: CSSProperties;
}

export function Icon({ name, size = 16, spin = false, className, style }: IconProps) {
  const classes = ["icon", spin && "icon-spin", className].filter(Boolean).join(" ");
  return (
    <svg viewBox="0 0 16 16" width={size} height={size} className={classes} style={style} aria-hidden="true">
      {iconShapes[name]}
    </svg>
  );
}
