// Reads Parquet away from the page.
import { serveWorker } from "../viewing/worker-serve";
import { readParquet } from "./read-parquet";

serveWorker(readParquet);
