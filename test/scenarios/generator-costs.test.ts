import { expect, test } from "vitest";
import { ChangingMesh } from "../golden/changing-mesh.ts";

/** Messages that are encoded for a change of one VirtualService, for a sidecar and a router. */
async function encodingsPerChange(services: number): Promise<number> {
  const mesh = new ChangingMesh(services);
  const before = mesh.encodings;
  await mesh.change();
  return mesh.encodings - before;
}

test("one changed VirtualService costs as many encodings among 1000 services as among 100", async () => {
  const few = await encodingsPerChange(100);
  // A virtual host and its timeout, once each for both ways to it, and the two route configurations.
  expect(few).toBe(6);
  expect(await encodingsPerChange(1000)).toBe(few);
});
