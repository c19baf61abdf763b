/** Certificates of tests' own, each signed by itself, so that its file is also its authority's. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Why there are none; false: there are. */
export const noCertificates = spawnSync("openssl", ["version"]).status === 0 ? false : "openssl is not installed";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Makes a certificate for these names, such as `IP:127.0.0.1`; its files go with the test. */
export function newCertificate(test: { after(done: () => void): void }, names: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "baton-certificate-"));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  const files = { cert: join(folder, "server.pem"), key: join(folder, "server.key") };
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const written = [
    "-subj",
    "/CN=server",
    "-addext",
    `subjectAltName=${names}`,
    "-out",
    files.cert,
    "-keyout",
    files.key,
  ];
  execFileSync("openssl", ["req", "-x509", ...curve, ...written], { stdio: "ignore" });
  return files;
}
