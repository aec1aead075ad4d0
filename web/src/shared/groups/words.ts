// The consequences of joining a group, shown before the user accepts.

export const consequencesOfJoining =
  "接受后，组长可以看到和停止你的实例，也能看到你以后提交的工单；你设为“组内可见”的镜像和数据集，组里的人都能使用。你可以使用这个组的共享文件夹和分配给它的服务器，并可以随时退出。";
