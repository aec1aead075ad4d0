// A single file: looked at, stepped through with its siblings, downloaded, renamed, deleted.
import { App } from "antd";
import { useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { mayChange, permitsFor } from "./actions";
import type { Item, Resource } from "./api";
import { useDisk } from "./disk-context";
import { fileIn, filesAddress, parentOf, shownName } from "./disk-paths";
import styles from "./FileView.module.css";
import { sortingIn } from "./listing/sorting";
import { openOverlay, overlayShown, useOverlay } from "./overlay";
import { FileContent, isText } from "./preview/FileContent";
import { PreviewBar } from "./preview/PreviewBar";
import { afterDelete } from "./preview/siblings";
import { usePreviewKeys } from "./preview/usePreviewKeys";
import { useSiblings } from "./preview/useSiblings";
import { Prompts } from "./prompts/Prompts";
import { withoutWords, wordsIn } from "./search/search-words";
import { useUploads } from "./uploads/upload-store";
import { useFetchFile } from "./useFetchFile";
import { useSourceView, withoutView } from "./viewing/useSourceView";

export function FileView({ file }: { file: Resource }) {
  const { host, viewer } = useDisk();
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const { message } = App.useApp();
  const fetchFile = useFetchFile(host);
  const { overlay } = useOverlay();
  const conflicts = useUploads((uploads) => uploads.conflicts.length);
  const folder = parentOf(file.path);
  const siblings = useSiblings(host, file.path, sortingIn(search));
  // In a text the arrows and Enter belong to the editor.
  const steps = !isText(file);
  const [dirty, setDirty] = useState(false);
  const permits = permitsFor([file], folder, viewer, dirty);

  const view = useSourceView(file);
  const rest = withoutWords(withoutView(search.toString()));
  const show = (path: string, replace = false) =>
    void navigate({ pathname: filesAddress(path), search: rest }, { replace });
  // Stepping through files is one entry of the history, not a hundred.
  const step = (item: Item | undefined) => item && show(item.path, true);

  /** A key or a swipe on a disabled action shows the reason. */
  function unless(reason: string | undefined, action: () => void) {
    if (reason === undefined) action();
    else message.info(reason, 1);
  }

  const on = {
    back: () => show(folder),
    previous: () => steps && step(siblings.previous),
    next: () => steps && step(siblings.next),
    download: () => unless(permits.download.reason, () => fetchFile(file.path)),
    share: () => openOverlay({ name: "share", item: file }),
    rename: () => unless(permits.rename.reason, () => openOverlay({ name: "rename", item: file })),
    remove: () => unless(permits.remove.reason, () => openOverlay({ name: "delete", items: [file] })),
    purge: () =>
      unless(permits.remove.reason, () => openOverlay({ name: "delete", items: [file], permanent: true })),
  };
  usePreviewKeys(on, overlayShown(overlay, conflicts, wordsIn(search.toString())) === "none");

  /** Navigates before the file is deleted, so that no request is made for it. */
  async function leaveDeleted() {
    const pathname = filesAddress(afterDelete(siblings)?.path ?? folder);
    await navigate({ pathname, search: rest }, { replace: true, flushSync: true });
    return () => show(file.path, true);
  }

  return (
    <section className={styles.file} aria-label={shownName(file.name)}>
      <PreviewBar
        file={file}
        siblings={siblings}
        permits={permits}
        view={permits.download.reason === undefined ? view : null}
        dirty={dirty}
        on={on}
      />
      <FileContent
        file={file}
        closed={permits.download.reason}
        readOnly={mayChange(folder, viewer, "modify").reason}
        dirty={dirty}
        onDirty={setDirty}
        onSwipe={(direction) => step(siblings[direction])}
        onDownload={on.download}
      />
      <Prompts
        folder={folder}
        onUpload={() => {}}
        onNamed={(name) => show(fileIn(folder, name), true)}
        onDelete={leaveDeleted}
      />
    </section>
  );
}
