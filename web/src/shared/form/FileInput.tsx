// A file input without looks of its own: a button beside it opens it.
import type { Ref } from "react";

interface FileInputProps {
  ref: Ref<HTMLInputElement>;
  label: string;
  multiple?: boolean;
  /** Whole folders are chosen, with all that is in them. */
  folder?: boolean;
  accept?: string;
  /** One or more; the same choice again is heard too. */
  onPick: (files: readonly File[]) => void;
}

export function FileInput({ ref, label, multiple = false, folder = false, accept, onPick }: FileInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      // Antd forms show file inputs whatever `hidden` says.
      style={{ display: "none" }}
      aria-label={label}
      multiple={multiple}
      accept={accept}
      {...(folder && { webkitdirectory: "" })}
      onClick={({ currentTarget }) => {
        currentTarget.value = "";
      }}
      onChange={({ target }) => onPick(Array.from(target.files ?? []))}
    />
  );
}
