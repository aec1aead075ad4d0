// Facts about the instance beside its terminals: state, server, cards, end.
import type { InstanceView } from "@/shared/compute/api";
import { InstanceState } from "@/shared/compute/InstanceState";
import { modelsText, whenText } from "@/shared/compute/text";
import { usePhone } from "@/shared/ui/usePhone";

export function InstanceFacts({ instance }: { instance: InstanceView }) {
  const phone = usePhone();
  const { server, gpus, stopAt } = instance;
  const facts = [server?.name, gpus.length > 0 && modelsText(gpus), stopAt && `${whenText(stopAt)} 自动停止`];
  return (
    <>
      <InstanceState instance={instance} brief />
      {!phone && <span>{facts.filter(Boolean).join(" · ")}</span>}
    </>
  );
}
