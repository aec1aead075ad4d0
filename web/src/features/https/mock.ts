// HTTPS for tests, typed by the contract.
import type { HttpsOverview, PublicLabCa } from "./api";

export const now = "2026-11-26T12:00:00.000Z";

const days = (count: number) => new Date(Date.parse(now) + count * 86_400_000).toISOString();

export const fingerprint = Array.from({ length: 32 }, (_, index) =>
  (index + 160).toString(16).toUpperCase(),
).join(":");

/** Nothing is set up. */
export const off: HttpsOverview = {
  way: "off",
  names: [],
  port: null,
  redirect: false,
  directory: "https://acme-v02.api.letsencrypt.org/directory",
  email: "",
  caCertificate: "",
  eabKeyId: "",
  eabKeySet: false,
  listening: null,
  ownFiles: false,
  behindProxy: false,
  now,
  certificate: null,
  tries: { running: false, held: false, started: null, failures: 0, error: "", nextTry: null },
  labCa: null,
};

const certificate: NonNullable<HttpsOverview["certificate"]> = {
  names: ["lab.example.cn"],
  issuer: "R11",
  fingerprint,
  notBefore: days(-10),
  notAfter: days(80),
  renewAfter: days(50),
  served: true,
};

/** A certificate of an ACME server that is served. */
export const acme: HttpsOverview = {
  ...off,
  way: "acme",
  names: ["lab.example.cn"],
  listening: 443,
  certificate,
};

/** A certificate of the lab's CA. */
export const labCa: HttpsOverview = {
  ...acme,
  way: "lab_ca",
  names: ["lab"],
  certificate: { ...certificate, names: ["lab"], issuer: "云实验室 CA 0a1b2c" },
  labCa: { name: "云实验室 CA 0a1b2c", names: ["lab"], fingerprint, notAfter: days(3600), hasKey: true },
};

export const publicCa: PublicLabCa = {
  name: "云实验室 CA 0a1b2c",
  fingerprint,
  notAfter: days(3600),
  origins: [`https://${location.hostname}:8443`],
};
