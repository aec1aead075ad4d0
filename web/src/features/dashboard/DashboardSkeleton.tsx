import { Skeleton } from "antd";
import styles from "@/shared/ui/Figures.module.css";
import { Panel } from "@/shared/ui/Panel";
import hold from "./DashboardSkeleton.module.css";

const cells = ["实例", "GPU 卡", "CPU", "内存", "网盘"];

/** As high as the quotas, so that nothing moves; shown only after 200 ms. */
export function DashboardSkeleton() {
  return (
    <div className={hold.late} role="status" aria-label="正在载入">
      <Panel>
        <div className={`${styles.strip} ${styles.five}`}>
          {cells.map((cell) => (
            <div key={cell} className={`${styles.cell} ${hold.cell}`}>
              <Skeleton title={{ width: "40%" }} paragraph={{ rows: 1, width: "100%" }} />
            </div>
          ))}
        </div>
      </Panel>
    </div>
  );
}
