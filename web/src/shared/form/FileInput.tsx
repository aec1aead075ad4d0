// A file input without looks of its own: a button beside it opens it.
import type { Ref } from "react";

interface FileInputProps {
  ref: Ref<HTMLInputElement>;
  label: string;
  multiple?: boolean;
  /** Whole folders are chosen, with all that is in them. */
  folder?: boolean;
  accept?: string;
  /** One or more. The same choice again fires too, as the input is emptied when it opens. */
  onPick: (files: readonly File[]) => void;
}

export function FileInput({ ref, label, multiple = false, folder = false, accept, onPick }: FileInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      // antd's forms show file inputs even with `hidden`.
      style={{ display: "none" }}
      aria-label={label}
      multiple={multiple}
      accept={accept}
      {...(folder && { webkitdirectory: "" })}
      onClick={({ currentTarget }) => {
        currentTarget.value = "";
      }}
      onChange={({ target }) => {
        const files = Array.from(target.files ?? []);
        if (files.length > 0) onPick(files);
      }}
    />
  );
}
