// SSH in the browser, to the port of an instance or, for administrators, to a server.
import { Button } from "antd";
import { useEffect, useEffectEvent } from "react";
import { useLocation, useParams } from "react-router";
import { usePageTitle } from "@/shared/stores/page-title";
import { Icon } from "@/shared/theme/Icon";
import { useScheme } from "@/shared/theme/use-scheme";
import { EmptyPanel } from "@/shared/ui/EmptyPanel";
import { type Host, sshTarget } from "./api";
import { schemeOf, useLooks } from "./looks";
import { isCovered, SshCover } from "./SshCover";
import { openTerminal, placeAt, useTerminals } from "./sessions";
import { TerminalDesk } from "./TerminalDesk";
import styles from "./TerminalTabs.module.css";

export default function SshPage() {
  const { server = "", ip = "", port = "" } = useParams();
  const { pathname } = useLocation();
  const looks = useLooks();
  const pageScheme = useScheme();
  usePageTitle(`SSH ${ip}:${port}`);
  const host: Host = { server, ip, port: Number(port) };
  const valid = Number.isInteger(host.port) && host.port > 0 && host.port < 65_536;

  const open = () =>
    openTerminal(pathname, sshTarget(host), { ...looks, scheme: schemeOf(looks, pageScheme) });

  const openFirst = useEffectEvent(() => {
    if (placeAt(pathname)(useTerminals.getState()).terminals.length === 0) open();
  });
  useEffect(() => {
    if (valid) openFirst();
  }, [valid]);

  return (
    <TerminalDesk
      place={pathname}
      title={`${ip}:${port}`}
      about="SSH"
      more={
        <button
          type="button"
          className={styles.more}
          disabled={!valid}
          aria-label="新会话"
          title="新会话"
          onClick={open}
        >
          <Icon name="plus" size={14} />
        </button>
      }
      cover={(terminal) =>
        isCovered(terminal.phase) ? <SshCover key={terminal.id} terminal={terminal} host={host} /> : null
      }
      empty={
        valid ? (
          <EmptyPanel icon="terminal" text="没有打开的会话" action={<Button onClick={open}>登录</Button>} />
        ) : (
          <EmptyPanel icon="alert" text="这个地址不对" note="端口应在 1 到 65535 之间" />
        )
      }
    />
  );
}
