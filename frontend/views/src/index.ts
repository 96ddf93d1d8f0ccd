export type * from './api.ts';
export { DiffBarsView } from './diff-bars/DiffBarsView.ts';
export { HistogramView } from './histogram/HistogramView.ts';
export { IcicleView } from './icicle/IcicleView.ts';
export { RunTableView } from './run-table/RunTableView.ts';
export { SankeyView } from './sankey/SankeyView.ts';
export type { Target, View, ViewContext, ViewEvent } from './ui/view.ts';
