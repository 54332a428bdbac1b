/** A peer that opens and closes streams as fast as it can: `node bench/fairness/stream-flood.ts PORT`. */
import { sidecarNode } from "../../test/e2e/support/envoy/bootstrap.ts";
import { SotwClient } from "../../test/e2e/support/xds/ads-client.ts";
import { clusterType } from "../../src/xds/type-urls.ts";

const port = Number(process.argv[2]);
const atOnce = 16;

await Promise.all(Array.from({ length: atOnce }, () => openAndClose()));

async function openAndClose(): Promise<never> {
  for (;;) {
    using client = new SotwClient(port, sidecarNode);
    client.subscribe(clusterType);
    // A refused stream fails. Then the next one is opened.
    await client.next(clusterType, { seconds: 1 }).catch(() => undefined);
  }
}
