// A shell in an instance, and as many more as are wanted.
import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useEffect, useEffectEvent } from "react";
import { useLocation, useNavigate, useParams } from "react-router";
import { instanceQuery } from "@/shared/compute/api";
import { titleOf } from "@/shared/compute/instance-name";
import { usePageTitle } from "@/shared/stores/page-title";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { useScheme } from "@/shared/theme/use-scheme";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { Panel } from "@/shared/ui/Panel";
import { shellsQuery, shellTarget } from "./api";
import { firstShell, isAnyShell } from "./first-shell";
import { InstanceFacts } from "./InstanceFacts";
import { schemeOf, useLooks } from "./looks";
import { ShellMenu } from "./ShellMenu";
import { openTerminal, placeAt, useTerminals } from "./sessions";
import { TerminalDesk } from "./TerminalDesk";

const noCover = () => null;

export default function TerminalPage() {
  const { instanceid = "", cmd = "" } = useParams();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  const { data: instance, error, refetch } = useQuery(instanceQuery(instanceid));
  const looks = useLooks();
  const pageScheme = useScheme();
  // The last characters distinguish instances.
  usePageTitle(instance && `终端 ${instance.name.slice(instance.name.lastIndexOf("_") + 1)}`);
  const running = instance?.state === "running";
  const shells = useQuery({ ...shellsQuery(instanceid), enabled: isAnyShell(cmd) && running });
  const first = firstShell(cmd, { shells: shells.data?.shells, pending: shells.isPending });

  const open = (shell: string) =>
    openTerminal(pathname, shellTarget(instanceid, shell), { ...looks, scheme: schemeOf(looks, pageScheme) });

  // The URL names the first shell. Terminals of an earlier visit are still open.
  const openFirst = useEffectEvent(() => {
    if (first !== undefined && placeAt(pathname)(useTerminals.getState()).terminals.length === 0) open(first);
  });
  const known = first !== undefined;
  useEffect(() => {
    if (running && known) openFirst();
  }, [running, known]);

  if (!instance)
    return (
      <Panel label="终端">
        {error ? (
          <ErrorPanel title="终端没有打开" error={error} onRetry={() => void refetch()} />
        ) : (
          <TableSkeleton rows={8} rowHeight={20} />
        )}
      </Panel>
    );
  return (
    <TerminalDesk
      place={pathname}
      title={titleOf(instance)}
      about={<InstanceFacts instance={instance} />}
      actions={
        <Button
          type="text"
          aria-label="我的文件"
          title="我的文件"
          icon={<Icon name="folder" />}
          onClick={() => navigate("/netdisk/files/home/")}
        />
      }
      more={<ShellMenu instance={instanceid} disabled={!running} onOpen={open} />}
      cover={noCover}
      empty={
        <EmptyPanel
          icon="terminal"
          text={running ? "没有打开的会话" : "实例没有在运行"}
          note={running ? undefined : "启动后终端会自动打开"}
          action={running && first !== undefined && <Button onClick={() => open(first)}>打开 {first}</Button>}
        />
      }
    />
  );
}
