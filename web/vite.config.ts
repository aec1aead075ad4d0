// One origin for pages and API in development too: the cookies and redirects then behave as in production.
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { copyApiDocuments } from "./scripts/api-documents.ts";
import { copyPdfExtras, pdfExtras } from "./scripts/pdf-extras.ts";
import { noteWorkerModules, thirdPartyFile, writeThirdParty } from "./scripts/third-party.ts";

const server = process.env.YUNLAB_DEV_SERVER ?? "http://127.0.0.1:8080";
const proxied = { target: server, ws: true };

export default defineConfig({
  plugins: [react(), copyPdfExtras(), copyApiDocuments(), writeThirdParty()],
  worker: { plugins: () => [noteWorkerModules()] },
  define: { __PDF_EXTRAS__: JSON.stringify(`/${pdfExtras}`) },
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  server: {
    proxy: { "/api": proxied, "/disk": proxied, "/.well-known": proxied, [`/${thirdPartyFile}`]: proxied },
  },
  build: {
    // Every asset has its hash in the name, so the server may call it immutable; nothing is inlined as data.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: {
        // Few files on the first load: the parts that change with every release apart from those that do not.
        codeSplitting: {
          groups: [
            { name: "react", test: /node_modules\/(react|react-dom|scheduler|react-router)\//, priority: 2 },
            // What the first page needs of it anyway. In one file it is packed better than in fifteen.
            {
              name: "antd",
              test: /node_modules\/(@ant-design\/(cssinjs|cssinjs-utils|fast-color|colors)|@rc-component\/(util|motion|form|async-validator|trigger|portal|resize-observer|notification|dialog|input)|stylis|@babel\/runtime|antd\/es\/(_util|alert|app|button|config-provider|flex|form|input|message|modal|notification|space|style|theme|tooltip))\//,
              priority: 1,
            },
          ],
        },
      },
    },
  },
});
