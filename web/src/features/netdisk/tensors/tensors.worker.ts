// Reads headers of weights and arrays away from the page: those of a hostile file may take long.
import { serveWorker } from "../viewing/worker-serve";
import { readTensors } from "./read-tensors";

serveWorker(readTensors);
