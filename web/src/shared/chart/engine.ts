// The used parts of ECharts; everything else stays out of the bundle. Only imported on demand.
import { BarChart, LineChart } from "echarts/charts";
import { AxisPointerComponent, GridComponent, TooltipComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

use([BarChart, LineChart, GridComponent, TooltipComponent, AxisPointerComponent, CanvasRenderer]);

export { init };
