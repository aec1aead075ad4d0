// 实时监控: load of the instance and its cards, over the chosen time.
import { useMemo } from "react";
import { makePointing, SharePointing } from "@/shared/chart/pointing";
import type { InstanceDetail } from "@/shared/compute/api";
import { GpuCharts } from "@/shared/compute/GpuCharts";
import { SpanPicker, useSpan } from "@/shared/compute/SpanPicker";
import { Panel } from "@/shared/ui/Panel";
import { Usage } from "./Usage";

export function Monitor({ instance }: { instance: InstanceDetail }) {
  const minutes = useSpan();
  // A part of another span was chosen of that one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: anew with each span
  const pointing = useMemo(makePointing, [minutes]);
  return (
    <Panel title="实时监控" extra={<SpanPicker />}>
      <SharePointing key={minutes} value={pointing}>
        {instance.gpus.length > 0 && <GpuCharts gpus={instance.gpus} minutes={minutes} />}
        <Usage instance={instance} minutes={minutes} />
      </SharePointing>
    </Panel>
  );
}
