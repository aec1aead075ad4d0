// The prompts of a folder, of which at most one is open.
import { useDisk } from "../disk-context";
import { asMoved } from "../operations/clipboard";
import { useRelocate } from "../operations/useRelocate";
import { closeOverlay, openOverlay, useOverlay } from "../overlay";
import type { ShareLink } from "../shares/api";
import { DeleteSharePrompt } from "../shares/DeleteSharePrompt";
import { SharePrompt } from "../shares/SharePrompt";
import type { Picked } from "../uploads/picked";
import { pickedFromInput } from "../uploads/picked";
import { CompressPrompt } from "./CompressPrompt";
import { DeleteAllPrompt } from "./DeleteAllPrompt";
import { DownloadPrompt } from "./DownloadPrompt";
import { InfoPrompt } from "./InfoPrompt";
import { NewPrompt } from "./NewPrompt";
import { RelocatePrompt } from "./RelocatePrompt";
import { RenamePrompt } from "./RenamePrompt";
import { ReplaceOrRenamePrompt } from "./ReplaceOrRenamePrompt";
import { UploadPrompt } from "./UploadPrompt";

interface PromptsProps {
  folder: string;
  onUpload: (picked: readonly Picked[]) => void;
  /** An entry was created or renamed: it is to be selected. */
  onNamed: (name: string) => void;
  /** Called when deleting begins; resolves to a function that undoes its effect, if deleting fails. */
  onDelete?: () => Promise<() => void>;
}

export function Prompts({ folder, onUpload, onNamed, onDelete }: PromptsProps) {
  const { host, titleOf } = useDisk();
  const { overlay } = useOverlay();
  const relocate = useRelocate();

  const done = (name: string) => {
    closeOverlay();
    onNamed(name);
  };

  switch (overlay.name) {
    case "newDir":
    case "newFile": {
      const what = overlay.name === "newDir" ? "folder" : "file";
      return <NewPrompt key={what} what={what} folder={folder} onDone={done} onClose={closeOverlay} />;
    }
    case "rename":
      return <RenamePrompt item={overlay.item} onDone={done} onClose={closeOverlay} />;
    case "delete":
      return (
        <DeleteAllPrompt
          key={String(overlay.permanent)}
          items={overlay.items}
          permanent={overlay.permanent ?? false}
          onDelete={onDelete}
          onClose={closeOverlay}
        />
      );
    case "copy":
    case "move": {
      const verb = overlay.name === "copy" ? "copy" : "rename";
      const { items } = overlay;
      return (
        <RelocatePrompt
          key={verb}
          verb={verb}
          items={items}
          folder={folder}
          onConfirm={(to) => {
            closeOverlay();
            void relocate({ verb, items: items.map(asMoved), to, rename: verb === "copy" && to === folder });
          }}
          onClose={closeOverlay}
        />
      );
    }
    case "replace-rename": {
      const { question, onAnswer } = overlay;
      return (
        <ReplaceOrRenamePrompt
          key={question.item.from}
          question={question}
          folder={titleOf(question.to)}
          onAnswer={(answer) => {
            onAnswer(answer);
            closeOverlay();
          }}
        />
      );
    }
    case "download":
      return <DownloadPrompt items={overlay.items} folder={folder} onClose={closeOverlay} />;
    case "share": {
      const { item } = overlay;
      const confirmDelete = (link: ShareLink) => openOverlay({ name: "share-delete", item, link });
      return <SharePrompt item={item} onDelete={confirmDelete} onClose={closeOverlay} />;
    }
    case "share-delete": {
      const { item, link } = overlay;
      const back = () => openOverlay({ name: "share", item });
      return <DeleteSharePrompt host={host} link={link} onClose={back} />;
    }
    case "compress":
      return <CompressPrompt items={overlay.items} folder={folder} onClose={closeOverlay} />;
    case "info":
      return <InfoPrompt items={overlay.items} onClose={closeOverlay} />;
    case "upload":
      return (
        <UploadPrompt
          folder={titleOf(folder)}
          onPick={(files) => {
            closeOverlay();
            onUpload(pickedFromInput(files));
          }}
          onClose={closeOverlay}
        />
      );
    default:
      return null;
  }
}
