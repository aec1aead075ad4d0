// The editor with its bar: encoding, state, saving, and conflicts with another user's save.
import type { EditorView } from "@codemirror/view";
import { useQueryClient } from "@tanstack/react-query";
import { App } from "antd";
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import { asApiError } from "@/shared/api/problem";
import { makeArea } from "@/shared/editor/code-area";
import { useUnsavedGuard } from "@/shared/lib/use-unsaved-guard";
import { netdiskKey, type Resource } from "../api";
import { useDisk } from "../disk-context";
import { shownName } from "../disk-paths";
import { type Conflict, ConflictPrompt, conflictOf } from "./ConflictPrompt";

import styles from "./Editor.module.css";
import { EditorBar } from "./EditorBar";
import { decode, type Encoding, encode, encodingOf, isWhole, labelOf } from "./encodings";
import { keepLineEnds } from "./line-ends";
import { type Saving, saveText, type TextFile } from "./text-file";

interface EditorDeskProps {
  file: Resource;
  text: TextFile;
  readOnly: string | undefined;
  /** Something is not saved. */
  dirty: boolean;
  onDirty: (dirty: boolean) => void;
  onReload: () => void;
}

export function EditorDesk({ file, text, readOnly, dirty, onDirty, onReload }: EditorDeskProps) {
  const { host } = useDisk();
  const { message } = App.useApp();
  const client = useQueryClient();
  const place = useRef<HTMLDivElement>(null);
  const area = useRef<EditorView>(null);
  const etag = useRef(text.etag);
  /** The present content of the file: as it was read, or as it was last saved. */
  const stored = useRef(text.bytes);
  /** The bytes of the text, and the encoding that they were read with. */
  const [reading, setReading] = useState(() => ({ bytes: text.bytes, encoding: encodingOf(text.bytes) }));
  const [writing, setWriting] = useState<Encoding>(reading.encoding);
  const [saving, setSaving] = useState(false);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  useUnsavedGuard(dirty, "离开后，对这个文件没有保存的修改不会保留。");

  const { name } = file;
  const content = useMemo(() => decode(reading.bytes, reading.encoding), [reading]);
  const lineEnds = useMemo(() => keepLineEnds(content), [content]);
  const torn = useMemo(() => !isWhole(reading.bytes, reading.encoding), [reading]);
  const closedReason =
    readOnly ?? (torn ? `有些字节不是 ${labelOf(reading.encoding)}，换一种编码读才能改` : undefined);
  const closed = closedReason !== undefined;
  useEffect(() => {
    const parent = place.current;
    if (!parent) return;
    const input = {
      parent,
      text: content,
      name: shownName(name),
      readOnly: closed,
      more: lineEnds.extension,
    };
    const made = makeArea({ ...input, onChange: () => onDirty(true) });
    area.current = made;
    if (!closed) made.focus();
    return () => {
      area.current = null;
      made.destroy();
    };
  }, [content, lineEnds, name, closed, onDirty]);

  async function save(how: Saving = "ifSame") {
    const view = area.current;
    if (!view || saving || closed) return;
    const { doc } = view.state;
    const encoded = encode(lineEnds.written(view.state), writing);
    if ("missing" in encoded) {
      const some = encoded.missing.slice(0, 10).join(" ");
      message.error(`${labelOf(writing)} 里没有这些字符：${some}，请换用 UTF-8 保存`, 2);
      return;
    }
    setSaving(true);
    try {
      const sent = { path: file.path, bytes: encoded.bytes, etag: etag.current };
      etag.current = await saveText(host, sent, how);
      stored.current = encoded.bytes;
      setConflict(null);
      // Text typed during the save is not saved yet.
      onDirty(area.current !== null && !area.current.state.doc.eq(doc));
      message.success("已保存", 1.5);
      void client.invalidateQueries({ queryKey: netdiskKey });
    } catch (cause) {
      const error = asApiError(cause);
      const found = conflictOf(error.status);
      if (found) setConflict(found);
      else message.error(`保存失败：${error.message}`, 2);
    } finally {
      setSaving(false);
    }
  }

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (!(ctrlKey || metaKey) || altKey || shiftKey || key.toLowerCase() !== "s") return;
    // The browser would save the page, and the file browser download the file.
    event.preventDefault();
    if (dirty) void save();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event);
    document.addEventListener("keydown", listen, { capture: true });
    return () => document.removeEventListener("keydown", listen, { capture: true });
  }, []);

  return (
    <div className={styles.desk}>
      <EditorBar
        encoding={writing}
        dirty={dirty}
        saving={saving}
        readOnly={closedReason}
        onReadAs={(encoding) => {
          setReading({ bytes: stored.current, encoding });
          setWriting(encoding);
        }}
        onWriteAs={(encoding) => {
          setWriting(encoding);
          onDirty(true);
        }}
        onSave={() => void save()}
      />
      <div ref={place} className={styles.area} />
      {conflict && (
        <ConflictPrompt
          name={shownName(name)}
          conflict={conflict}
          saving={saving}
          onOverwrite={() => void save(conflict === "gone" ? "anew" : "overwrite")}
          // If that fails, the typed text is still there, and still not saved.
          onReload={onReload}
          onClose={() => setConflict(null)}
        />
      )}
    </div>
  );
}
