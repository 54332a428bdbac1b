import { startBrowser } from "../test/e2e/desk/support/browser.ts";
import { deskCost } from "./desk/desk-cost.ts";
import { LargeServer, proxies } from "./desk/large-server.ts";
import { firstVisits, interactions } from "./desk/page-figures.ts";
import { pageMemory } from "./desk/page-memory.ts";
import { largeMeshObjects } from "../test/e2e/desk/support/large-mesh.ts";

/** The pages of the desk in a browser, and their cost for the server, in a large mesh. */
export async function desk(): Promise<string> {
  await using large = await LargeServer.start();
  const cost = await deskCost(large);
  await large.settled();
  await using browser = await startBrowser();
  const visits = await firstVisits(browser, large.origin);
  const acts = await interactions(browser, large.origin);
  const memory = await pageMemory(browser);
  const conditions = `${largeMeshObjects} objects, ${proxies} virtual proxies, edits that concern every sidecar`;
  return [conditions, cost, visits, acts, memory].join("\n\n");
}
