// 实时监控: load of the instance and its cards, over the chosen time.
import type { InstanceDetail } from "@/shared/compute/api";
import { GpuCharts } from "@/shared/compute/GpuCharts";
import { SpanPicker, useSpan } from "@/shared/compute/SpanPicker";
import { Panel } from "@/shared/ui/Panel";
import { Usage } from "./Usage";

export function Monitor({ instance }: { instance: InstanceDetail }) {
  const minutes = useSpan();
  return (
    <Panel title="实时监控" extra={<SpanPicker />}>
      {instance.gpus.length > 0 && <GpuCharts gpus={instance.gpus} minutes={minutes} />}
      <Usage instance={instance} minutes={minutes} />
    </Panel>
  );
}
