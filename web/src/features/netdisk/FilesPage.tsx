// The file browser: the disk's sidebar, the path, and the content. The path is in the URL.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Button, Drawer } from "antd";
import { useEffect, useState } from "react";
import { Navigate, useLocation } from "react-router";
import { publicSettingsQuery } from "@/shared/api/public-settings";
import { media, useMediaQuery } from "@/shared/lib/use-media-query";
import { isAdmin, useSession } from "@/shared/stores/session";
import { TableSkeleton } from "@/shared/table/TableSkeleton";
import { Icon } from "@/shared/theme/Icon";
import { DropMenu } from "@/shared/ui/DropMenu";
import { ErrorPanel } from "@/shared/ui/ErrorPanel";
import { FingerRoom } from "@/shared/ui/FingerRoom";
import { Panel } from "@/shared/ui/Panel";
import { diskFeaturesQuery, diskUserQuery } from "./account/api";
import { useDiskTheme } from "./account/useDiskTheme";
import { useSaveHabits } from "./account/useSaveHabits";
import { everything, mayChange, mayRun } from "./actions";
import { myFoldersQuery, ownDatasetsQuery, resourceQuery, usageQuery } from "./api";
import { DiskSidebar } from "./DiskSidebar";
import { DiskContext } from "./disk-context";
import { diskRoot, filesAddress, isFolderPath, parentOf, pathOfAddress } from "./disk-paths";
import { FilesHeader } from "./FilesHeader";
import styles from "./FilesPage.module.css";
import { FolderView } from "./FolderView";
import { isLost } from "./listing/FolderStates";
import { sortingIn } from "./listing/sorting";
import { NoStorage } from "./NoStorage";
import { closeOverlay, openOverlay, useOverlay } from "./overlay";
import { placeAt, placesOf, titleOf, trashPlace } from "./places";
import { HelpDock } from "./prompts/HelpDock";
import { RoomBanner } from "./RoomBanner";
import { SearchResults } from "./search/SearchResults";
import { useSearchWords, withoutWords } from "./search/search-words";
import { ShellPlace } from "./shell/ShellPlace";
import { setOpen, useShell } from "./shell/shell-store";
import { watchTasks } from "./tasks/watch";
import { keepDaysQuery } from "./trash/api";
import { TrashView } from "./trash/TrashView";

export default function FilesPage() {
  const settings = useQuery(publicSettingsQuery);
  const admin = useSession(isAdmin);
  const { pathname, search } = useLocation();
  const path = pathOfAddress(pathname);

  if (settings.isPending)
    return (
      <Panel label="网盘">
        <TableSkeleton rows={8} rowHeight={36} />
      </Panel>
    );
  if (!settings.data)
    return (
      <Panel label="网盘">
        <ErrorPanel title="网盘没有打开" error={settings.error} onRetry={() => void settings.refetch()} />
      </Panel>
    );
  if (settings.data.storageHost === "") return <NoStorage admin={admin} />;
  if (path === diskRoot && !isFolderPath(pathname))
    return <Navigate replace to={{ pathname: filesAddress(diskRoot), search }} />;
  return (
    <FingerRoom>
      <FileBrowser host={settings.data.storageHost} admin={admin} path={path} search={search} />
    </FingerRoom>
  );
}

interface FileBrowserProps {
  host: string;
  admin: boolean;
  path: string;
  search: string;
}

function FileBrowser({ host, admin, path, search }: FileBrowserProps) {
  const mobile = useMediaQuery(media.mobile);
  const narrow = useMediaQuery(media.diskHeader);
  const [sidebar, setSidebar] = useState(true);
  const { overlay } = useOverlay();
  // A file's own room is its folder's.
  const folder = isFolderPath(path) ? path : parentOf(path);
  const groups = useQuery({ ...myFoldersQuery, enabled: !admin });
  const usage = useQuery(usageQuery(host, folder));
  const places = placesOf(admin, groups.data?.items ?? []);
  const me = useSession((session) => session.id);
  const user = useQuery(diskUserQuery(host, me)).data;
  // The delete prompt then shows at once whether deleting can be undone.
  useQuery({ ...keepDaysQuery(host), enabled: user?.perm.delete ?? false });
  const save = useSaveHabits(host);
  const features = useQuery(diskFeaturesQuery(host)).data;
  useDiskTheme(user, features);
  const datasets = useQuery({ ...ownDatasetsQuery, enabled: !admin });
  const viewer = { admin, perm: user?.perm ?? everything, datasets: datasets.data };
  const searching = useSearchWords();
  const { words } = searching;
  /** A new entry is to be seen in its folder. */
  function make(what: "newDir" | "newFile" | "upload") {
    searching.close();
    openOverlay({ name: what });
  }
  const disk = { host, admin, viewer, user, titleOf: (place: string) => titleOf(place, places, admin) };
  const change = mayChange(folder, viewer);
  const run = mayRun(features?.exec ?? false, viewer);
  const shellOpen = useShell((shell) => shell.open);
  const trash = new URLSearchParams(search).get("place") === trashPlace;
  const shown = useInfiniteQuery(resourceQuery(host, path, sortingIn(new URLSearchParams(search))));
  // Nothing is made in a file, nor in a folder that can't be opened.
  const making =
    isFolderPath(path) && !shown.isLoadingError && !isLost(shown.error) && !trash
      ? change
      : { ...change, hidden: true };

  const side = (
    <DiskSidebar
      places={places}
      current={trash ? undefined : placeAt(places, path)}
      trash={trash}
      room={usage.data}
      newFolder={making}
      onNewFolder={() => make("newDir")}
      onNewFile={() => make("newFile")}
      onLeave={closeOverlay}
    />
  );
  useEffect(watchTasks, []);
  const drawer = mobile && overlay.name === "sidebar";

  return (
    <DiskContext value={disk}>
      <div className={styles.page}>
        <h1 className={styles.title}>网盘</h1>
        {!mobile && sidebar && <aside className={styles.side}>{side}</aside>}
        <div className={styles.card}>
          <FilesHeader
            path={path}
            search={trash ? "" : withoutWords(search)}
            here={trash ? "回收站" : undefined}
            sidebarOpen={mobile ? drawer : sidebar}
            onToggleSidebar={() => (mobile ? openOverlay({ name: "sidebar" }) : setSidebar(!sidebar))}
            view={trash || !isFolderPath(path) ? undefined : user?.viewMode}
            onView={(viewMode) => save({ viewMode })}
            shell={run}
            shellOpen={shellOpen}
            onShell={() => setOpen(!shellOpen)}
            upload={making}
            onUpload={() => make("upload")}
          />
          <RoomBanner room={usage.data} />
          {words !== null && (
            <SearchResults
              key={words}
              folder={trash ? diskRoot : folder}
              words={words}
              uncovered={overlay.name === "none"}
              onClose={searching.close}
            />
          )}
          <div className={words === null ? styles.content : styles.covered}>
            {trash ? <TrashView /> : <FolderView key={path} path={path} />}
          </div>
          <ShellPlace folder={folder} permit={run} />
        </div>
        <HelpDock />
        <Drawer
          open={drawer}
          placement="left"
          size={280}
          title="网盘"
          closeIcon={<Icon name="close" />}
          styles={{ close: { width: 44, height: 44 }, body: { display: "flex", padding: 0 } }}
          onClose={closeOverlay}
        >
          {side}
        </Drawer>
        {narrow && !making.hidden && making.reason === undefined && <AddButton onMake={make} />}
      </div>
    </DiskContext>
  );
}

/** Where the header has no room for it: the round button that makes something new. */
function AddButton({ onMake }: { onMake: (what: "newDir" | "newFile" | "upload") => void }) {
  return (
    <DropMenu
      trigger={["click"]}
      placement="topRight"
      menu={{
        // The key that chooses must not also reach the field that is focused next.
        onClick: ({ domEvent }) => domEvent.preventDefault(),
        items: [
          {
            key: "upload",
            icon: <Icon name="upload" />,
            label: "上传",
            onClick: () => onMake("upload"),
          },
          {
            key: "newDir",
            icon: <Icon name="newFolder" />,
            label: "新建文件夹",
            onClick: () => onMake("newDir"),
          },
          {
            key: "newFile",
            icon: <Icon name="newFile" />,
            label: "新建文件",
            onClick: () => onMake("newFile"),
          },
        ],
      }}
    >
      <Button
        type="primary"
        shape="circle"
        className={styles.add ?? ""}
        aria-label="上传或新建"
        icon={<Icon name="plus" />}
      />
    </DropMenu>
  );
}
