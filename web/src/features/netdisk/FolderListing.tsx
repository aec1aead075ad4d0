// A folder: its bars, its entries, what is selected of them and what can be done with that.
import { App } from "antd";
import { useReducer } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { formatCount } from "@/shared/lib/numbers";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { usePhone } from "@/shared/ui/usePhone";
import { mayChange, permitsFor, rowActions } from "./actions";
import type { Item } from "./api";
import { useDisk } from "./disk-context";
import { asFolder, filesAddress } from "./disk-paths";
import { ChosenBar, FolderBar } from "./FolderBars";
import { FileList } from "./listing/FileList";
import { EmptyFolder } from "./listing/FolderStates";
import { nothing, select } from "./listing/selection";
import { defaultSorting, sortingIn, withSorting } from "./listing/sorting";
import type { Entries } from "./listing/useEntries";
import { useItemEvents } from "./listing/useItemEvents";
import { useShortcuts } from "./listing/useShortcuts";
import { openOverlay, overlayShown, useOverlay } from "./overlay";
import { friendlyName } from "./places";
import { Prompts } from "./prompts/Prompts";
import { DropZone } from "./uploads/DropZone";
import { pickedFromDrop } from "./uploads/picked";
import { enqueue, useUploads } from "./uploads/upload-store";
import { useFetchFile } from "./useFetchFile";

interface FolderListingProps {
  path: string;
  entries: Entries;
}

/** Folders open with a slash at the end, files without. */
const addressOf = (item: Item) => filesAddress(item.isDir ? asFolder(item.path) : item.path);

const askRename = (item: Item) => openOverlay({ name: "rename", item });
const askDelete = (items: readonly Item[]) => openOverlay({ name: "delete", items });
const askUpload = () => openOverlay({ name: "upload" });

export function FolderListing({ path, entries }: FolderListingProps) {
  const { host, admin, titleOf } = useDisk();
  const { query, items, resource, folders, files, shown } = entries;
  const [search, setSearch] = useSearchParams();
  const [selection, dispatch] = useReducer(select, nothing);
  const { message } = App.useApp();
  const navigate = useNavigate();
  const phone = usePhone();
  const fetchFile = useFetchFile(host);
  const { overlay } = useOverlay();
  const conflicts = useUploads((uploads) => uploads.conflicts.length);

  const total = folders + files;
  const change = mayChange(path, admin);
  const chosen = items.filter((item) => selection.names.has(item.name));
  const [first] = chosen;
  const permits = permitsFor(chosen, path, admin);

  const open = (item: Item) => void navigate({ pathname: addressOf(item), search: search.toString() });
  const clear = () => dispatch({ kind: "clear" });
  const onItem = useItemEvents({ items, selection, dispatch, onOpen: open });

  async function selectAll() {
    const key = "netdisk-select-all";
    if (query.hasNextPage) message.open({ key, type: "loading", content: "正在读取全部文件…", duration: 0 });
    const all = await entries.loadAll();
    message.destroy(key);
    if (all.length < total) message.error("没有全部读到，只选了已读到的", 2);
    dispatch({ kind: "all", order: all.filter((item) => !item.invalidName).map((item) => item.name) });
  }

  async function dropped(data: DataTransfer) {
    try {
      enqueue(await pickedFromDrop(data), path);
    } catch {
      message.error("浏览器读不了拖入的内容", 2);
    }
  }

  /** A key on what is closed says why. */
  function unless(reason: string | undefined, action: () => void) {
    if (reason === undefined) action();
    else message.info(reason, 1);
  }

  useShortcuts(
    {
      onSelectAll: () => void selectAll(),
      onClear: clear,
      onRename: () => first && unless(permits.rename.reason, () => askRename(first)),
      onDelete: () => first && unless(permits.remove.reason, () => askDelete(chosen)),
    },
    overlayShown(overlay, conflicts) === "none",
  );

  const counts = `${formatCount(folders)} 个文件夹，${formatCount(files)} 个文件`;
  return (
    <DropZone closed={change.reason} folder={titleOf(path)} onDrop={(data) => void dropped(data)}>
      {first ? (
        <ChosenBar
          items={chosen}
          permits={permits}
          onDownload={() => fetchFile(first.path)}
          onRename={() => askRename(first)}
          onRemove={() => askDelete(chosen)}
          onClear={clear}
        />
      ) : (
        <FolderBar
          change={change}
          onNewFolder={() => openOverlay({ name: "newDir" })}
          onRefresh={() => void query.refetch()}
        />
      )}
      {query.isRefetchError && <RefreshFailed error={query.error} onRetry={() => void query.refetch()} />}
      {total === 0 ? (
        <EmptyFolder change={change} onUpload={askUpload} />
      ) : (
        <FileList
          key={phone ? "phone" : "wide"}
          items={items}
          shown={shown}
          total={total}
          refreshing={query.isRefetching}
          sorting={sortingIn(search) ?? resource?.sorting ?? defaultSorting}
          selection={selection}
          rowHeight={phone ? 56 : 36}
          friendlyOf={(itemPath) => friendlyName(itemPath, admin)}
          events={{
            onClick: onItem.click,
            onDoubleClick: onItem.doubleClick,
            onToggle: ({ name }) => dispatch({ kind: "toggle", name }),
          }}
          actionsFor={(item) =>
            rowActions(permitsFor([item], path, admin), {
              open: () => open(item),
              download: () => fetchFile(item.path),
              rename: () => askRename(item),
              remove: () => askDelete([item]),
            })
          }
          onSort={(next) => setSearch(withSorting(search, next), { replace: true })}
          onMore={entries.more}
          onSelectAll={() => void selectAll()}
          onClear={clear}
          onKey={onItem.press}
          foot={shown < total ? `${counts}，已显示 ${formatCount(shown)} 项` : counts}
        />
      )}
      <Prompts
        folder={path}
        onUpload={(picked) => enqueue(picked, path)}
        onNamed={(name) => dispatch({ kind: "only", name })}
      />
    </DropZone>
  );
}
