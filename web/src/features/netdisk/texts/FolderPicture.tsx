// A picture that a text shows, from the disk: fetched with a signature, and only shown as a picture.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { pictureQuery } from "@/shared/api/pictures";
import { useObjectUrl } from "@/shared/ui/use-object-url";
import { useDisk } from "../disk-context";
import { isReducible } from "../preview/picture";
import { rawQuery } from "../preview/raw";

interface FolderPictureProps {
  path: string;
  words: string;
}

const extensionOf = (path: string) => /\.[^./]+$/.exec(path)?.[0] ?? "";
const isPicture = (extension: string) => /^\.(png|jpe?g|gif|webp|bmp|svg|avif)$/i.test(extension);

export function FolderPicture({ path, words }: FolderPictureProps) {
  const { host } = useDisk();
  const [broken, setBroken] = useState(false);
  const extension = extensionOf(path);
  // Its time of change is not known: as it is when the text is opened.
  const file = { path, modified: "" };
  const reducible = isReducible({ type: "image", extension });
  const reduced = useQuery({ ...pictureQuery(host, "big", file), enabled: reducible });
  const raw = useQuery({
    ...rawQuery(host, file),
    enabled: isPicture(extension) && !reducible,
    retry: false,
  });
  const url = useObjectUrl(reducible ? reduced.data : raw.data);
  if (url && !broken) return <img src={url} alt={words} onError={() => setBroken(true)} />;
  return <span>{words || path}</span>;
}
