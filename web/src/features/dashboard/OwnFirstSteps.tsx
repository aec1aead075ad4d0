// The first steps of a new user. The first is left out for accounts of the directory, which keeps their passwords.
import { useQuery } from "@tanstack/react-query";
import { instancesQuery } from "@/shared/compute/api";
import { links } from "@/shared/compute/links";
import { worksheetLinks } from "@/shared/worksheets/api";
import { type FirstStep, FirstSteps } from "./FirstSteps";

/** One of all instances that this user ever had. */
const everQuery = instancesQuery({
  page: 1,
  size: 1,
  sort: "created",
  order: "desc",
  mine: true,
  released: true,
});

interface OwnFirstStepsProps {
  /** Whether the user still has a password that an administrator or the program chose; undefined where it can't be changed here. */
  hasInitialPassword: boolean | undefined;
  /** Bytes on the disk; undefined while unknown. */
  used: number | undefined;
}

export function OwnFirstSteps({ hasInitialPassword, used }: OwnFirstStepsProps) {
  const ever = useQuery({ ...everQuery, refetchInterval: false });
  if (used === undefined || !ever.data) return null;
  return (
    <FirstSteps
      folded={ever.data.total > 0}
      steps={[
        ...(hasInitialPassword === undefined ? [] : [passwordStep(!hasInitialPassword)]),
        {
          title: "放入数据",
          note: "把代码和数据上传到“我的文件”，实例里在 /home 下能看到同样的文件",
          to: "/netdisk/files/home/",
          done: used > 0,
        },
        {
          title: "创建第一个实例",
          note: "选服务器、显卡和镜像，运行后从 SSH、终端或端口进入",
          to: links.create(),
          done: ever.data.total > 0,
        },
        {
          title: "遇到问题时提交工单",
          note: "申请显卡、配额或报告故障，管理员会回复",
          to: worksheetLinks.list,
        },
      ]}
    />
  );
}

const passwordStep = (done: boolean): FirstStep => ({
  title: "改密码",
  note: "现在的密码是管理员设置的，请换成只有自己知道的",
  to: "/profile/password",
  done,
});
