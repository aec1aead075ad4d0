// All links of the user; the disk's administrators see those of all users.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { LinkButton } from "@/shared/frame/LinkButton";
import { cutSource } from "@/shared/list/list-source";
import { useListParams } from "@/shared/list/use-list-params";
import { DataTable } from "@/shared/table/DataTable";
import { type RowAction, RowActions } from "@/shared/table/RowActions";
import { filesAddress } from "../disk-paths";
import { allSharesQuery, type ShareLink, shareAddress } from "../shares/api";
import { DeleteSharePrompt } from "../shares/DeleteSharePrompt";
import { useKnownPasswords } from "../shares/known-passwords";
import { messageOf } from "../shares/link-words";
import { pathOfShare, ShareCard, shareColumns } from "../shares/ShareCells";
import { ShowSharePrompt } from "../shares/ShowSharePrompt";
import { useCopyLink } from "../shares/useCopyLink";
import { DiskSettingsFrame } from "./DiskSettingsFrame";

export default function SharesPage() {
  return (
    <DiskSettingsFrame>
      {(host, me) => <Shares host={host} me={me.id} admin={me.perm.admin} />}
    </DiskSettingsFrame>
  );
}

interface SharesProps {
  host: string;
  me: number;
  admin: boolean;
}

type Open = { prompt: "show" | "delete"; link: ShareLink } | null;

function Shares({ host, me, admin }: SharesProps) {
  const list = useListParams({ sort: "expire", order: "asc", size: 50 });
  const shares = useQuery(allSharesQuery(host));
  const [open, setOpen] = useState<Open>(null);
  /** The menu's button: a prompt that is only mounted while it is open loses the focus when it closes. */
  const opener = useRef<Element>(null);
  const copy = useCopyLink();
  const passwords = useKnownPasswords(({ byHash }) => byHash);
  const words = list.q.trim().toLowerCase();
  const fits = ({ path, username = "" }: ShareLink) =>
    [path, username].some((text) => text.toLowerCase().includes(words));
  const close = () => setOpen(null);

  function ask(prompt: "show" | "delete", link: ShareLink) {
    opener.current = document.activeElement;
    setOpen({ prompt, link });
  }

  useEffect(() => {
    if (!open && opener.current instanceof HTMLElement) opener.current.focus();
  }, [open]);

  function withPassword(link: ShareLink): RowAction[] {
    const password = passwords[link.hash];
    if (password === undefined) return [];
    const text = messageOf(link, shareAddress(host, link.hash), password);
    const onClick = () => void copy(text, "链接和密码已复制到剪贴板");
    return [{ key: "message", label: "复制链接和密码", onClick }];
  }

  const actions = (link: ShareLink) => (
    <RowActions
      name={pathOfShare(link)}
      first={[{ key: "copy", label: "复制链接", onClick: () => void copy(shareAddress(host, link.hash)) }]}
      more={[
        ...withPassword(link),
        { key: "show", label: "二维码", onClick: () => ask("show", link) },
        { key: "delete", label: "删除", danger: true, onClick: () => ask("delete", link) },
      ]}
    />
  );
  return (
    <>
      <DataTable<ShareLink>
        id="netdisk-shares"
        label="分享链接"
        unit="个"
        rowHeight={40}
        rowKey={({ hash }) => hash}
        columns={[
          ...shareColumns(me, admin),
          { key: "actions", title: "操作", align: "right", always: true, render: actions },
        ]}
        source={cutSource(shares, list, fits)}
        list={list}
        card={(link) => <ShareCard link={link} me={me} actions={actions(link)} />}
        filters={{
          active: 0,
          search: { placeholder: admin ? "路径或所有者" : "路径", value: list.q, onSearch: list.setSearch },
          onReset: list.reset,
        }}
        empty={{
          icon: "share",
          text: "还没有分享链接",
          note: "在网盘里选中一个文件或文件夹，再点“分享”",
          action: <LinkButton to={filesAddress("/")}>打开网盘</LinkButton>,
        }}
      />
      {open?.prompt === "show" && <ShowSharePrompt host={host} link={open.link} onClose={close} />}
      {open?.prompt === "delete" && <DeleteSharePrompt host={host} link={open.link} onClose={close} />}
    </>
  );
}
