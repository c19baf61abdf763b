/** TLS to a server of NATS: its certificate must be for the host or the address that the journal's URL names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openNatsJournal } from "../../../src/journal/nats/open.ts";
import { tally } from "../../journal/journal-subject.ts";
import { type Certificate, newCertificate, noCertificates } from "../certificates.ts";
import { newFolder, skip, startServer } from "./server.ts";

test("a server that is named by its IP address needs that address in its certificate, and one by name its name", {
  skip: skip || noCertificates,
}, async (t) => {
  const [byAddress, byName] = [newCertificate(t, "IP:127.0.0.1"), newCertificate(t, "DNS:localhost")];
  const lines = ({ cert, key }: Certificate) => ({ cluster: `tls { cert_file: "${cert}", key_file: "${key}" }` });
  const server = await startServer(newFolder(), undefined, lines(byAddress));
  t.after(() => server.stop());
  const url = server.newUrl();
  const named = url.replace(`@127.0.0.1:`, "@localhost:");
  const opened = async (asked: string) => {
    const done = await openNatsJournal(asked, tally, { waitMs: 2_000 });
    if (done.ok) await done.value.close();
    return done.ok ? "opened" : JSON.stringify(done.error);
  };
  assert.equal(await opened(`${url}&tls=on&ca=${byAddress.cert}`), "opened");
  const untrusted = /journal-cannot-open.*does not trust the server's certificate.*tls=on&ca=FILE.*NODE_EXTRA_CA_CERTS/;
  assert.match(await opened(`${named}&ca=${byAddress.cert}`), untrusted);
  assert.match(await opened(`${url}&tls=on`), untrusted);
  assert.match(await opened(`${url}&ca=${byAddress.cert}.none`), /journal-cannot-open.*cannot be read/);
  await server.kill();
  await server.start(lines(byName));
  assert.match(await opened(`${url}&ca=${byName.cert}`), untrusted);
  assert.equal(await opened(`${named}&ca=${byName.cert}`), "opened");
});
