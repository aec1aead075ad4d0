// How far all uploads are together, as a small ring; its colour changes at 30 and at 70.
import { toneOf } from "./progress";
import styles from "./UploadCircle.module.css";
import { useUploads } from "./upload-store";

const radius = 7;
const around = 2 * Math.PI * radius;

export function UploadCircle() {
  const running = useUploads((uploads) => uploads.running);
  const percent = useUploads((uploads) => uploads.percent);
  if (!running) return null;
  return (
    <span
      className={styles.circle}
      role="progressbar"
      aria-label="上传进度"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      title={`上传 ${percent}%`}
    >
      <svg viewBox="0 0 18 18" width={18} height={18} aria-hidden="true">
        <circle cx={9} cy={9} r={radius} />
        <circle
          cx={9}
          cy={9}
          r={radius}
          className={styles[toneOf(percent)]}
          strokeDasharray={`${(around * percent) / 100} ${around}`}
        />
      </svg>
      {percent}%
    </span>
  );
}
