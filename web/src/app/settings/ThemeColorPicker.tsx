import { Icon } from "@/shared/theme/Icon";
import { presets, type ThemeColor, themeColors } from "@/shared/theme/tokens";
import styles from "./ThemeColorPicker.module.css";

interface ThemeColorPickerProps {
  value: ThemeColor;
  onChange: (color: ThemeColor) => void;
}

/** The eight preset colours, by name: radio buttons that look like the colours. */
export function ThemeColorPicker({ value, onChange }: ThemeColorPickerProps) {
  return (
    <fieldset className={styles.colors}>
      <legend className={styles.legend}>主题色</legend>
      {themeColors.map((color) => (
        <label key={color} className={styles.color}>
          <input
            type="radio"
            name="theme-color"
            className={styles.input}
            checked={color === value}
            onChange={() => onChange(color)}
          />
          <span className={styles.disc} style={{ background: color }}>
            {color === value && <Icon name="check" size={14} />}
          </span>
          {presets[color].name}
        </label>
      ))}
    </fieldset>
  );
}
