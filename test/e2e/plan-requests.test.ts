import { expect, test } from "vitest";
import type { Plan, PlannedRequest } from "../../src/plan/plan.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { isKeptOutcome } from "./plan-requests/kept-outcome.ts";
import { pathAndQuery, type SiteCall } from "./random-sites/call.ts";
import { httpOf, randomSites } from "./random-sites/random-site.ts";
import { openSites, type Site, type Sites, sitesYaml } from "./support/envoy/sites.ts";
import { ask, type HttpReply } from "./support/http.ts";
import { describeWith } from "./support/peers.ts";

const describeWithEnvoy = await describeWith("envoy");

/** A host by whose answer a test sees which version of the mesh a proxy has. */
const marker = (version: string): Site => ({
  host: "marker.example.com",
  http: [{ directResponse: { status: 200, body: { string: version } } }],
});

/** The request of a plan, at the proxy at which it arrives. */
async function asked({ method, url, headers, direction }: PlannedRequest, open: Sites): Promise<HttpReply> {
  const { hostname, pathname, search } = new URL(url);
  const { port } = direction === "gateway" ? open.gateway : open.sidecar;
  const fields = headers.map((header) => header.split(": ") as [string, string]);
  return await ask(method, port, `${pathname}${search}`, { host: hostname, headers: Object.fromEntries(fields) });
}

async function answers(calls: readonly SiteCall[], open: Sites): Promise<readonly string[]> {
  const all: string[] = [];
  for (const { port } of [open.gateway, open.sidecar]) {
    for (const call of calls) {
      const { status, headers } = await ask(call.method, port, pathAndQuery(call), call);
      all.push(`${status} ${headers.location ?? ""}`);
    }
  }
  return all;
}

describeWithEnvoy("a plan on a running server", () => {
  // `npm run fuzz 15 test/e2e/plan-requests.test.ts` asks more than 1 000 requests.
  test(`tells where requests go before and after the change (seed ${seed})`, async () => {
    const count = runs(8);
    const others = randomSites(count, 1, seed + count);
    const sites = randomSites(count, 2, seed).map((site, index) => ({
      site,
      // A third of the sites stay as they are.
      next: index % 3 === 2 ? site : { ...(others[index] ?? site), host: site.host },
    }));
    const oldSites = sites.map(({ site }): Site => ({ host: site.host, http: httpOf(site) }));
    const newSites = sites.map(({ next }): Site => ({ host: next.host, http: httpOf(next) }));
    const quiet = sites.filter(({ site, next }) => site === next).flatMap(({ site }) => site.calls);
    await using open = await openSites([marker("old"), ...oldSites]);

    const server = ["--server", `127.0.0.1:${open.httpPort}`, "--max-requests", "20000"];
    const { stdout } = await runCommand(["plan", "-", ...server, "-o", "json"], { input: sitesYaml(newSites) });
    const { requests, proxies } = JSON.parse(stdout) as Plan;
    expect(proxies).toEqual({ total: 2, touched: 2 });

    const surprises: object[] = [];
    let compared = 0;
    const compare = async (side: "before" | "after") => {
      for (const request of requests.changes) {
        const seen = await asked(request, open);
        const kept = isKeptOutcome(request[side], seen);
        if (kept !== undefined) compared += 1;
        if (kept === false) surprises.push({ side, request, status: seen.status, headers: seen.headers });
      }
    };
    await compare("before");
    const quietBefore = await answers(quiet, open);
    open.write([marker("new"), ...newSites]);
    for (const { port } of [open.gateway, open.sidecar]) {
      const isNew = async () => {
        const { body } = await ask("GET", port, "/", { host: "marker.example.com" });
        return body === "new" ? body : undefined;
      };
      await eventually("the proxy has the new routes", isNew, { seconds: 20 });
    }
    await compare("after");

    process.stderr.write(
      `${requests.asked} requests planned, ${requests.changes.length} change, ${requests.unsampled} routes have none; ${compared} answers of Envoys compared, ${quiet.length * 2} of unchanged sites\n`,
    );
    expect(surprises.slice(0, 3)).toEqual([]);
    expect(await answers(quiet, open)).toEqual(quietBefore);
    expect(compared).toBeGreaterThan(requests.changes.length);
  });
});
