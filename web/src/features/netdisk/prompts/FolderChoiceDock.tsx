// Chooses a folder of the disk for another page, which asks through `shared/stores/folder-choice`. The dialogue's script
// comes with the first question.
import { lazy, Suspense } from "react";
import { useFolderQuestion } from "@/shared/stores/folder-choice";

const FolderChoice = lazy(() =>
  import("./FolderChoice").then(({ FolderChoice: Choice }) => ({ default: Choice })),
);

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
