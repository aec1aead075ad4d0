// Reads headers of weights and arrays off the main thread: a hostile one may take long.
import { serveWorker } from "../viewing/worker-serve";
import { readTensors } from "./read-tensors";

serveWorker(readTensors);
