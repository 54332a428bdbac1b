import { expect, test } from "vitest";
import { explain } from "../../src/explain/explain.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { pathAndQuery } from "./random-sites/call.ts";
import { Histogram } from "./random-sites/histogram.ts";
import { httpOf, randomSites } from "./random-sites/random-site.ts";
import { isKept, promiseOf } from "./support/envoy/promise.ts";
import { openSites } from "./support/envoy/sites.ts";
import { ask } from "./support/http.ts";
import { describeWith } from "./support/peers.ts";

const describeWithEnvoy = await describeWith("envoy");
const callsEach = 5;

describeWithEnvoy("random routes and requests", () => {
  test(`go where explain says, through a gateway and a sidecar (seed ${seed})`, async () => {
    const sites = randomSites(runs(50), callsEach, seed);
    await using open = await openSites(sites.map((site) => ({ host: site.host, http: httpOf(site) })));
    const histogram = new Histogram();
    const surprises: object[] = [];
    for (const { port, config } of [open.gateway, open.sidecar]) {
      for (const site of sites) {
        for (const call of site.calls) {
          const { method, host, headers } = call;
          const path = pathAndQuery(call);
          const explanation = explain(config, { port, host, path, method, headers });
          histogram.add(site, explanation);
          const promise = promiseOf(explanation, open.names);
          const seen = await ask(method, port, path, { host, headers });
          if (!isKept(promise, seen)) surprises.push({ call, promise, seen, http: httpOf(site) });
        }
      }
    }
    process.stderr.write(histogram.text());
    expect(surprises.slice(0, 3)).toEqual([]);
    expect(histogram.shortfalls()).toEqual([]);
  });
});
