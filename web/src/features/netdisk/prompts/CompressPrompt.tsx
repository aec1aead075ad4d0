// Asks for the name and format of an archive of the selection. It is packed in the background.

import { useState } from "react";
import { formatCount } from "@/shared/lib/numbers";
import type { ArchiveFormat, Item } from "../api";
import { useDisk } from "../disk-context";
import { fileIn, shownName } from "../disk-paths";
import { asMoved } from "../operations/clipboard";
import { useCompress } from "../tasks/api";
import { FormatChoice } from "./FormatChoice";
import { NamePrompt } from "./NamePrompt";
import { stemFor, stemLength } from "./name-rules";

/** The extensions of archives, by which the server recognises the format. */
const endings: Record<ArchiveFormat, string> = {
  zip: ".zip",
  tar: ".tar",
  targz: ".tar.gz",
  tarbz2: ".tar.bz2",
  tarxz: ".tar.xz",
  tarlz4: ".tar.lz4",
  tarsz: ".tar.sz",
};

interface CompressPromptProps {
  items: readonly Item[];
  /** The folder that they lie in, and the archive too. */
  folder: string;
  onClose: () => void;
}

export function CompressPrompt({ items, folder, onClose }: CompressPromptProps) {
  const { host, titleOf } = useDisk();
  const compress = useCompress(host);
  const [format, setFormat] = useState<ArchiveFormat>("zip");
  const [first] = items;
  const only = items.length === 1 ? first : undefined;
  const stem = stemFor(
    only ? only.name.slice(0, stemLength(only.name, only.isDir)) : titleOf(folder),
    endings.tarbz2,
  );
  return (
    <NamePrompt
      title={`压缩 ${only ? shownName(only.name) : `${formatCount(items.length)} 项`}`}
      label="压缩包的名称"
      verb="压缩"
      initial={stem}
      selected={stem.length}
      ending={endings[format]}
      submitting={compress.isPending}
      error={compress.error}
      onSubmit={(name) =>
        compress.mutate(
          { paths: items.map((item) => asMoved(item).from), destination: fileIn(folder, name), format },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <FormatChoice value={format} onChange={setFormat} />
    </NamePrompt>
  );
}
