// Whether this page needs the tasks: not before the disk was opened, so that other pages fetch nothing.
import { create } from "zustand";

export const useTaskWatch = create<{ watching: boolean }>()(() => ({ watching: false }));

export const watchTasks = () => useTaskWatch.setState({ watching: true });
