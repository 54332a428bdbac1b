import fc from "fast-check";
import { expect, test } from "vitest";
import { framed, hostileCsrs } from "../testing/ca/hostile-csr.ts";
import { runs, seed } from "../testing/random/seed.ts";
import { readCsr } from "./csr.ts";

test("a hostile request is invalid, or has the key that its sender possesses", { timeout: runs(60_000) }, async () => {
  const property = fc.asyncProperty(await hostileCsrs(), async ({ csr, isIntact, keyType }) => {
    const read = await readCsr(csr);
    if (read.type === "invalid") return read.reason !== "";
    return isIntact && read.publicKey.asymmetricKeyType === keyType;
  });
  await expect(fc.assert(property, { seed, numRuns: runs(1_000) })).resolves.toBeUndefined();
});

test("a text of any letters is invalid", async () => {
  const property = fc.asyncProperty(fc.oneof(fc.string(), fc.base64String().map(framed)), async (text) => {
    return (await readCsr(text)).type === "invalid";
  });
  await expect(fc.assert(property, { seed, numRuns: runs(300) })).resolves.toBeUndefined();
});
