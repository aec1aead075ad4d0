// Signs a file as `yunlab admin sign-release` signs a release, by the same key, and writes the public key for openssl:
//   openssl pkeyutl -verify -pubin -inkey release-key.pem -rawin -in SHA256SUMS -sigfile <(base64 -d SHA256SUMS.sig)
import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const [keyFile, file, signatureFile, publicFile] = process.argv.slice(2);

/** The key's 32 bytes behind the beginning of PKCS #8, version 1: OpenSSL reads no other, and ours is version 2. */
function privateKey(pem) {
  const der = Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ""), "base64");
  const inner = Buffer.from("04220420", "hex");
  const at = der.indexOf(inner);
  if (at < 0) throw new Error(`${keyFile} holds no Ed25519 key`);
  const seed = der.subarray(at + inner.length, at + inner.length + 32);
  const head = Buffer.from("302e020100300506032b657004220420", "hex");
  return createPrivateKey({ key: Buffer.concat([head, seed]), format: "der", type: "pkcs8" });
}

const key = privateKey(readFileSync(keyFile, "utf8"));
writeFileSync(signatureFile, `${sign(null, readFileSync(file), key).toString("base64")}\n`);
writeFileSync(publicFile, createPublicKey(key).export({ format: "pem", type: "spki" }));
