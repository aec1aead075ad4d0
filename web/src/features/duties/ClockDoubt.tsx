// The system clock is not trusted: the reason, the paused tasks, how it ends, and the button to end it now.
import { Alert, App, Button, Flex } from "antd";
import { useState } from "react";
import type { ClockState } from "@/shared/clock/api";
import { aheadOfPlatform, aheadText } from "@/shared/clock/words";
import { minuteTime } from "@/shared/lib/time";
import { Icon } from "@/shared/theme/Icon";
import { ConfirmDanger } from "@/shared/ui/ConfirmDanger";
import { FingerRoom } from "@/shared/ui/FingerRoom";
import { useReleaseClock } from "./api";
import styles from "./Duties.module.css";
import { WitnessTable } from "./WitnessTable";

const waiting = "到期停止与释放、回收站清理、用量统计等会删除数据或记账的任务已暂停，其他功能照常。";

const consequence =
  "按这个时间已经到期的实例会被停止或释放，回收站里过期的文件会被彻底删除，用量也按这个时间统计。时间有误时，这些不能撤销。";

function endText({ now, releaseAt }: ClockState): string {
  if (!releaseAt) {
    return "时间在这次开机之后跳变，不会自动恢复：要系统时间改回、另一台机器的时钟与它一致，或者在这里确认。";
  }
  if (Date.parse(releaseAt) <= Date.parse(now)) {
    return "已经过了自动恢复的时间，但有两个以上的其他时钟与系统时间不符，所以仍然暂停。";
  }
  return `不处理时，平台时间 ${minuteTime(releaseAt)} 自动恢复，除非有两个以上的其他时钟与系统时间不符。`;
}

export function ClockDoubt({ clock }: { clock: ClockState }) {
  const { now, wall, heldSince, witnesses } = clock;
  return (
    <Flex vertical gap={12} className={styles.doubt ?? ""}>
      <Alert
        type="warning"
        showIcon
        icon={<Icon name="alert" />}
        title={`系统时间异常：比平台时间${aheadText(aheadOfPlatform(clock))}`}
        description={
          <>
            <p>
              {heldSince && `从 ${minuteTime(heldSince)} 起，`}
              平台不再相信本机的系统时间（{minuteTime(wall)}），按自己的时间（{minuteTime(now)}）继续运行。
              {waiting}
            </p>
            <p>系统时间有误时，请在服务器上校正，校正后自动恢复。{endText(clock)}</p>
          </>
        }
      />
      <WitnessTable witnesses={witnesses} />
      <Release wall={wall} />
    </Flex>
  );
}

function Release({ wall }: { wall: string }) {
  const { message } = App.useApp();
  const [asking, setAsking] = useState(false);
  const release = useReleaseClock();
  const close = () => setAsking(false);
  return (
    <div>
      <FingerRoom>
        <Button onClick={() => setAsking(true)}>系统时间是对的，恢复</Button>
      </FingerRoom>
      <ConfirmDanger
        open={asking}
        title="确认系统时间是对的？"
        verb="恢复"
        submitting={release.isPending}
        onConfirm={() =>
          release.mutate(undefined, {
            onSuccess: () => message.success("已恢复，暂停的任务继续运行", 1.5),
            onError: (error) => message.error(error.message, 2),
            onSettled: close,
          })
        }
        onClose={close}
      >
        平台将采用现在的系统时间 <b>{minuteTime(wall)}</b>
        ，暂停的任务继续运行：
        {consequence}
      </ConfirmDanger>
    </div>
  );
}
