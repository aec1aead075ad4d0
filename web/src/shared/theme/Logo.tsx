// The product's mark: four bars, the last in the accent of the night sky on the dark ground of the menu, in the theme's
// own on a page's.
interface LogoProps {
  size?: number;
  ground?: "dark" | "page";
}

export function Logo({ size = 26, ground = "dark" }: LogoProps) {
  const [bars, last] = ground === "dark" ? ["#e8edf3", "#4aa3e3"] : ["currentColor", "var(--c-primary-text)"];
  return (
    <svg viewBox="0 0 26 26" width={size} height={size} aria-hidden="true" style={{ flex: "none" }}>
      <g fill={bars}>
        <rect x={1} y={14.5} width={5} height={7} rx={1.2} opacity={0.55} />
        <rect x={7.4} y={8.5} width={5} height={13} rx={1.2} opacity={0.8} />
        <rect x={13.8} y={4.5} width={5} height={17} rx={1.2} />
      </g>
      <rect x={20.2} y={11.5} width={5} height={10} rx={1.2} fill={last} />
    </svg>
  );
}
