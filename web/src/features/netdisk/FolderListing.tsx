// A folder: its bars, its entries, the selection and the actions on it.
import { App } from "antd";
import { useEffect, useMemo, useReducer, useRef, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { formatCount } from "@/shared/lib/numbers";
import { RefreshFailed } from "@/shared/ui/RefreshFailed";
import { usePhone } from "@/shared/ui/usePhone";
import { useSaveHabits } from "./account/useSaveHabits";
import { chosenActions, folderActions, rowActions, unpackedName } from "./actions";
import type { Item, Sorting } from "./api";
import { useDisk } from "./disk-context";
import { asFolder, fileIn, filesAddress } from "./disk-paths";
import { ChosenBar, type ChosenKey, FolderBar } from "./FolderBars";
import { FileList } from "./listing/FileList";
import { EmptyFolder } from "./listing/FolderStates";
import { keepFirst, type Place } from "./listing/last-place";
import { MosaicList } from "./listing/MosaicList";
import { countOf, isSelected, nothingAt, select } from "./listing/selection";
import { defaultSorting, sortingIn, withSorting } from "./listing/sorting";
import type { Entries } from "./listing/useEntries";
import { useFolderActions } from "./listing/useFolderActions";
import { useItemEvents } from "./listing/useItemEvents";
import { useLater } from "./listing/useLater";
import { useShortcuts } from "./listing/useShortcuts";
import type { Moved } from "./operations/relocate";
import { openOverlay, overlayShown, useOverlay } from "./overlay";
import { friendlyName } from "./places";
import { Prompts } from "./prompts/Prompts";
import { withoutWords, wordsIn } from "./search/search-words";
import { shownView } from "./settings/options";
import { useExtract } from "./tasks/api";
import { DropZone } from "./uploads/DropZone";
import { pickedFromDrop } from "./uploads/picked";
import { enqueue, useUploads } from "./uploads/upload-store";

/** Actions on the selection, also by key. */
type ChosenVerb = ChosenKey | "purge" | "toClipboard" | "cut";

interface FolderListingProps {
  path: string;
  entries: Entries;
  /** The position to restore when the user comes back. */
  place: Place | undefined;
}

/** Folders open with a slash at the end, files without. */
const addressOf = (item: Item) => filesAddress(item.isDir ? asFolder(item.path) : item.path);

export function FolderListing({ path, entries, place }: FolderListingProps) {
  const { host, admin, user, titleOf } = useDisk();
  const save = useSaveHabits(host);
  const mosaic = shownView(user?.viewMode) === "mosaic";
  const singleClick = user?.singleClick ?? false;
  const { query, items, resource, folders, files, shown } = entries;
  const [search, setSearch] = useSearchParams();
  const [selection, dispatch] = useReducer(select, place?.name ?? null, nothingAt);
  const [multiple, setMultiple] = useState(false);
  const { message } = App.useApp();
  const extract = useExtract(host);
  const navigate = useNavigate();
  const phone = usePhone();
  const act = useFolderActions(path);
  const { overlay } = useOverlay();
  const conflicts = useUploads((uploads) => uploads.conflicts.length);

  const total = folders + files;
  const { change } = act;
  const chosen = useMemo(() => items.filter((item) => isSelected(selection, item)), [items, selection]);
  /** All is selected, but not all is loaded. */
  const awaited = selection.inverted;
  const some = awaited || chosen.length > 0;
  const active = useMemo(
    () => (selection.active === null ? -1 : items.findIndex(({ name }) => name === selection.active)),
    [items, selection.active],
  );
  const chosenActs = {
    ...act.of(chosen),
    toClipboard: () => act.put("c", chosen),
    cut: () => act.put("x", chosen),
  };
  const settle = (all: readonly Item[]) =>
    dispatch({ kind: "settle", order: all.filter((item) => !item.invalidName).map((item) => item.name) });
  const later = useLater<ChosenVerb>(awaited, !query.hasNextPage, (verb) => {
    settle(items);
    if (verb) chosenActs[verb]();
  });

  const firstSeen = useRef(place?.first ?? 0);
  useEffect(() => () => keepFirst(path, firstSeen.current), [path]);

  const open = (item: Item) =>
    void navigate({ pathname: addressOf(item), search: withoutWords(search.toString()) });
  const clear = () => dispatch({ kind: "clear" });
  const refresh = () => void query.refetch();

  async function readAll() {
    if (!query.hasNextPage) return { all: items, failed: false };
    const key = "netdisk-read-all";
    message.open({ key, type: "loading", content: "正在读取全部文件…", duration: 0 });
    const read = await entries.loadAll();
    message.destroy(key);
    return read;
  }

  /** Shown at once; an action on it runs when everything is loaded. */
  async function selectAll() {
    dispatch({ kind: "all" });
    const { all, failed } = await readAll();
    if (!failed) return;
    later.current = null;
    message.error("没有全部读到，只选了已读到的", 2);
    settle(all);
  }

  async function showAll() {
    const { all } = await readAll();
    entries.showAll();
    return all;
  }

  const onItem = useItemEvents({
    items,
    active,
    dispatch,
    multiple,
    selecting: some,
    singleClick,
    onOpen: open,
    onEnd: showAll,
  });

  async function dropped(data: DataTransfer) {
    try {
      await enqueue(await pickedFromDrop(data), path);
    } catch {
      message.error("浏览器读不了拖入的内容", 2);
    }
  }

  const covered = overlayShown(overlay, conflicts, wordsIn(search.toString())) !== "none";
  function withChosen(verb: ChosenVerb) {
    // Once everything is loaded it runs at once: what `later` holds then is dropped with the next render.
    if (awaited && query.hasNextPage) later.current = verb;
    else if (some) chosenActs[verb]();
  }
  useShortcuts(
    {
      selectAll: () => void selectAll(),
      clear,
      rename: () => withChosen("rename"),
      remove: () => withChosen("remove"),
      purge: () => withChosen("purge"),
      download: () => withChosen("download"),
      copy: () => withChosen("toClipboard"),
      cut: () => withChosen("cut"),
      paste: act.paste,
    },
    !covered,
  );

  /** Runs in the background; the panel at the lower right shows the progress. */
  function unpack({ path: archive, name }: Item) {
    const destination = fileIn(path, unpackedName(name));
    extract.mutate(
      { path: archive, destination },
      { onError: (error) => message.error(`解压失败：${error.message}`, 2) },
    );
  }

  /** Shown at once by the URL, and kept for all folders from now on. */
  function sort(sorting: Sorting) {
    setSearch(withSorting(search, sorting), { replace: true });
    save({ sorting });
  }

  const making = {
    newFolder: () => openOverlay({ name: "newDir" }),
    newFile: () => openOverlay({ name: "newFile" }),
    paste: act.paste,
    refresh,
  };
  const counts = `${formatCount(folders)} 个文件夹，${formatCount(files)} 个文件`;
  const shared = {
    items,
    shown,
    total,
    refreshing: query.isRefetching,
    covered,
    firstSeen,
    selection,
    active: active < shown ? active : -1,
    friendlyOf: (itemPath: string) => friendlyName(itemPath, admin),
    isCut: act.isCut,
    events: {
      onClick: onItem.click,
      onDoubleClick: onItem.doubleClick,
      onToggle: ({ name }: Item) => dispatch({ kind: "toggle", name }),
      draggedOf: (item: Item) => (act.mayDrag && !awaited ? act.draggedOf(item, chosen) : []),
      onDropOn: (folder: Item, moved: readonly Moved[]) => act.dropOn(moved, asFolder(folder.path)),
    },
    onHold: ({ name }: Item) => dispatch({ kind: "toggle", name }),
    folderActions: () =>
      folderActions(change, act.clipboard, {
        ...making,
        selectAll: () => void selectAll(),
        upload: () => openOverlay({ name: "upload" }),
      }),
    actionsFor: (item: Item) => {
      if (chosen.length > 1 && isSelected(selection, item) && !awaited)
        return chosenActions(chosenActs.permits, chosenActs);
      const acts = act.of([item]);
      return rowActions(item, acts.permits, change, {
        ...acts,
        open: () => open(item),
        extract: () => unpack(item),
      });
    },
    onMore: entries.more,
    onKey: onItem.press,
    foot: shown < total ? `${counts}，已显示 ${formatCount(shown)} 项` : counts,
  };
  return (
    <DropZone closed={change.reason} folder={titleOf(path)} onDrop={(data) => void dropped(data)}>
      {some ? (
        <ChosenBar
          items={chosen}
          count={awaited ? countOf(selection, total) : chosen.length}
          awaited={awaited}
          permits={chosenActs.permits}
          onAct={withChosen}
          onClear={clear}
        />
      ) : (
        <FolderBar
          change={change}
          clipboard={act.clipboard}
          multiple={multiple}
          on={{ ...making, multiple: () => setMultiple(!multiple) }}
        />
      )}
      {query.isRefetchError && <RefreshFailed error={query.error} onRetry={refresh} />}
      {total === 0 ? (
        <EmptyFolder change={change} onUpload={() => openOverlay({ name: "upload" })} />
      ) : mosaic ? (
        <MosaicList {...shared} folders={folders} />
      ) : (
        <FileList
          key={phone ? "phone" : "wide"}
          {...shared}
          sorting={sortingIn(search) ?? resource?.sorting ?? defaultSorting}
          rowHeight={phone ? 56 : 36}
          onSort={sort}
          onSelectAll={() => void selectAll()}
          onClear={clear}
        />
      )}
      <Prompts
        folder={path}
        onUpload={(picked) => void enqueue(picked, path)}
        onNamed={(name) => dispatch({ kind: "only", name })}
      />
    </DropZone>
  );
}
