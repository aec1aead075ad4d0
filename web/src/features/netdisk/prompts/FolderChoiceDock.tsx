// Chooses a folder of the disk for another page, which requests it through `shared/stores/folder-choice`. The
// dialogue's script is loaded with the first request.
import { Suspense } from "react";
import { latePart } from "@/shared/parts/late-part";
import { useFolderQuestion } from "@/shared/stores/folder-choice";

const FolderChoice = latePart(async () => (await import("./FolderChoice")).FolderChoice, "aside");

export function FolderChoiceDock() {
  const question = useFolderQuestion(({ question: asked }) => asked);
  return (
    question && (
      <Suspense fallback={null}>
        <FolderChoice question={question} />
      </Suspense>
    )
  );
}
