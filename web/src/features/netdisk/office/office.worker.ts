// Reads Word and Excel files away from the page.
import { serveWorker } from "../viewing/worker-serve";
import { readOffice } from "./read-office";

serveWorker(readOffice);
