// The chart library with its style sheet. Only imported on demand.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

export { uPlot };
