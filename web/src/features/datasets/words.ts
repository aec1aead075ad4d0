// Labels for the server's words about datasets.
import type { components } from "@/shared/api/portal";

type Schemas = components["schemas"];
export type DatasetType = Schemas["DatasetType"];
export type LabelKind = Schemas["LabelKind"];
export type KeptBy = Schemas["VersionKeptBy"];
export type ChangeKind = Schemas["VersionChangeKind"];

export const typeLabels: Record<DatasetType, string> = {
  image: "图像",
  text: "文本",
  audio: "音频",
  video: "视频",
  table: "表格",
  multimodal: "多模态",
  other: "其他",
};

export const kindLabels: Record<LabelKind, string> = {
  task: "任务",
  domain: "领域",
  format: "格式",
  other: "其他",
};

/** How the bytes of a version are stored. */
export const keptByLabels: Record<KeptBy, string> = {
  reflink: "与数据集共享数据块（reflink），改动后才另占空间",
  copy: "全部文件为副本",
  hardlink: "全部文件与上一版本共用（硬链接）",
  mixed: "改动的文件为副本，未改动的与上一版本共用（硬链接）",
};

export const changeLabels: Record<ChangeKind, string> = { added: "新增", changed: "修改", removed: "删除" };

const typeWords = ["image", "text", "audio", "video", "table", "multimodal", "other"] as const;
const kindWords = ["task", "domain", "format", "other"] as const;

export const isDatasetType = (word: string | undefined): word is DatasetType =>
  typeWords.some((known) => known === word);

export const typeOptions = typeWords.map((value) => ({ value, label: typeLabels[value] }));
export const kindOptions = kindWords.map((value) => ({ value, label: kindLabels[value] }));
