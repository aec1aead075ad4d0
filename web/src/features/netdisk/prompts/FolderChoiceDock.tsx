// Chooses a folder of the disk for another page, which requests it through `shared/stores/folder-choice`. The
// dialogue's script is loaded with the first request.
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
