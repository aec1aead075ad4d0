// Chooses a folder or a file of the network disk from any page. The calling page waits for the answer; the disk, which
// alone knows its content, has the dialogue (`netdisk/prompts/FolderChoiceDock`).
import { create } from "zustand";

export interface FolderQuestion {
  title: string;
  /** The kind to choose. For a file, one can also be uploaded in the dialogue. */
  wanted: "folder" | "file";
  /** Ends the question; null when nothing was chosen. */
  answer: (path: string | null) => void;
}

export const useFolderQuestion = create<{ question: FolderQuestion | null }>()(() => ({ question: null }));

function ask(title: string, wanted: FolderQuestion["wanted"]): Promise<string | null> {
  useFolderQuestion.getState().question?.answer(null);
  return new Promise((resolve) => {
    const answer = (path: string | null) => {
      useFolderQuestion.setState({ question: null });
      resolve(path);
    };
    useFolderQuestion.setState({ question: { title, wanted, answer } });
  });
}

/** The path of the chosen folder as its viewer sees it, with a slash at its end. */
export const chooseFolder = (title: string) => ask(title, "folder");

/** The path of the chosen file as its viewer sees it. */
export const chooseFile = (title: string) => ask(title, "file");
