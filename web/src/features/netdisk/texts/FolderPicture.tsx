// A picture that a text shows, from the disk: fetched with a signature once it is about to be seen, since a text may have
// thousands of them, and only shown as a picture.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { pictureQuery } from "@/shared/api/pictures";
import { useObjectUrl } from "@/shared/ui/use-object-url";
import { watchSight } from "@/shared/ui/watch-sight";
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
  const place = useRef<HTMLSpanElement>(null);
  const [seen, setSeen] = useState(false);
  const [broken, setBroken] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (!element || seen) return;
    return watchSight(element, (near) => near && setSeen(true), "200px");
  }, [seen]);
  const extension = extensionOf(path);
  // Its time of change is not known: as it is when the text is opened.
  const file = { path, modified: "" };
  const reducible = isReducible({ type: "image", extension });
  const reduced = useQuery({ ...pictureQuery(host, "big", file), enabled: seen && reducible });
  const raw = useQuery({
    ...rawQuery(host, file),
    enabled: seen && isPicture(extension) && !reducible,
    retry: false,
  });
  const url = useObjectUrl(reducible ? reduced.data : raw.data);
  if (url && !broken) return <img src={url} alt={words} onError={() => setBroken(true)} />;
  return <span ref={place}>{words || path}</span>;
}
