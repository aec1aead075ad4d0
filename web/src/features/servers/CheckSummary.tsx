// The last check of a server in one word.
import { StateText } from "@/shared/ui/StateText";
import type { Check } from "./api";

export function CheckSummary({ checks }: { checks: readonly Check[] }) {
  const count = (outcome: Check["outcome"]) => checks.filter((check) => check.outcome === outcome).length;
  const [failed, warned] = [count("failed"), count("warning")];
  if (checks.length === 0) {
    return (
      <StateText icon="minus" tone="off">
        未检测
      </StateText>
    );
  }
  if (failed > 0) {
    return (
      <StateText icon="fault" tone="error">
        {`${failed} 项未通过`}
      </StateText>
    );
  }
  return warned > 0 ? (
    <StateText icon="alert" tone="warning">
      {`${warned} 项注意`}
    </StateText>
  ) : (
    <StateText icon="success" tone="success">
      全部通过
    </StateText>
  );
}
