// The figures of a request in the thread; administrators decide on them here.
import { Button, Flex } from "antd";
import { useState } from "react";
import { Icon } from "@/shared/theme/Icon";
import { ApproveDrawer } from "./ApproveDrawer";
import { AskedFigures } from "./AskedFigures";
import type { WorksheetDetail } from "./api";
import styles from "./FiguresCard.module.css";
import { RejectDialog } from "./RejectDialog";
import type { Standing } from "./standing";

interface FiguresCardProps {
  one: WorksheetDetail;
  standing: Standing;
}

export function FiguresCard({ one, standing }: FiguresCardProps) {
  const [asking, setAsking] = useState<"approve" | "reject" | null>(null);
  const [opening, setOpening] = useState(0);
  return (
    <div className={styles.card}>
      <AskedFigures one={one} />
      {standing.decides && (
        <Flex gap={8} className={styles.decide}>
          <Button
            type="primary"
            icon={<Icon name="check" size={14} />}
            onClick={() => {
              setOpening((count) => count + 1);
              setAsking("approve");
            }}
          >
            批准
          </Button>
          <Button danger onClick={() => setAsking("reject")}>
            驳回
          </Button>
          <ApproveDrawer
            key={opening}
            one={one}
            open={asking === "approve"}
            onClose={() => setAsking(null)}
          />
          <RejectDialog one={one} open={asking === "reject"} onClose={() => setAsking(null)} />
        </Flex>
      )}
    </div>
  );
}
