// Whether anybody here cares for the tasks: not before the disk was opened, so that other pages ask for nothing.
import { create } from "zustand";

export const useTaskWatch = create<{ watching: boolean }>()(() => ({ watching: false }));

export const watchTasks = () => useTaskWatch.setState({ watching: true });
