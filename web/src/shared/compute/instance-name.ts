// What an instance is called: by the name that its owner gave it, else by its id for programs; pure.

interface Named {
  name: string;
  note?: string;
}

/** 检测模型对比实验, or ins_zhangmin_GPUk3f9x. */
export const titleOf = ({ name, note = "" }: Named): string => note.trim() || name;

/** For questions that must not be about the wrong one: 检测模型对比实验（ins_zhangmin_GPUk3f9x）. */
export const labelOf = (instance: Named): string => {
  const title = titleOf(instance);
  return title === instance.name ? title : `${title}（${instance.name}）`;
};
