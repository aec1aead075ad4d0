// The product's mark: four bars, the last in the accent of the night sky. Drawn for the dark menu ground.
export function Logo({ size = 26 }: { size?: number }) {
  return (
    <svg viewBox="0 0 26 26" width={size} height={size} aria-hidden="true" style={{ flex: "none" }}>
      <g fill="#e8edf3">
        <rect x={1} y={14.5} width={5} height={7} rx={1.2} opacity={0.55} />
        <rect x={7.4} y={8.5} width={5} height={13} rx={1.2} opacity={0.8} />
        <rect x={13.8} y={4.5} width={5} height={17} rx={1.2} />
      </g>
      <rect x={20.2} y={11.5} width={5} height={10} rx={1.2} fill="#4aa3e3" />
    </svg>
  );
}
