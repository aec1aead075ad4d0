// Which rows are shown out of how many, and the way to the others.
import { Pagination } from "antd";
import { usePhone } from "@/shared/ui/usePhone";
import type { ListPosition } from "./data-table";
import styles from "./TableFoot.module.css";

interface TableFootProps {
  total: number;
  /** 人, 个, 条 */
  unit: string;
  list: Pick<ListPosition, "page" | "size" | "setPage">;
}

export function TableFoot({ total, unit, list }: TableFootProps) {
  const phone = usePhone();
  if (total === 0) return null;
  const first = (list.page - 1) * list.size + 1;
  const last = Math.min(list.page * list.size, total);
  return (
    <div className={styles.foot}>
      <span>
        {first <= last
          ? `第 ${first}–${last} ${unit}，共 ${total.toLocaleString("zh-CN")}`
          : `共 ${total.toLocaleString("zh-CN")} ${unit}`}
      </span>
      <Pagination
        size="small"
        simple={phone ? { readOnly: true } : false}
        current={list.page}
        pageSize={list.size}
        total={total}
        showSizeChanger={!phone && total > 20}
        pageSizeOptions={[20, 50, 100, 200]}
        onChange={(page, size) => list.setPage(size === list.size ? page : 1, size)}
      />
    </div>
  );
}
