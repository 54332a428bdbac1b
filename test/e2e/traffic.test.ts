import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explain } from "../../src/explain/explain.ts";
import { isKept, promiseOf } from "./support/envoy/promise.ts";
import { openSites, type Sites } from "./support/envoy/sites.ts";
import { ask } from "./support/http.ts";
import { describeWith } from "./support/peers.ts";
import { actions } from "./traffic/actions.ts";
import { headers } from "./traffic/headers.ts";
import { seenBy } from "./traffic/outcome.ts";
import { paths } from "./traffic/paths.ts";
import type { Group } from "./traffic/row.ts";

const describeWithEnvoy = await describeWith("envoy");
const groups = [...paths, ...headers, ...actions];
const rows = groups.flatMap((group) => group.rows.map((row) => ({ ...row, about: group.about, own: hostOf(group) })));

function hostOf({ about }: Group): string {
  return `${about.replaceAll(" ", "-")}.example.com`;
}

describeWithEnvoy("HTTP", () => {
  let sites: Sites;
  beforeAll(async () => {
    sites = await openSites(groups.map((group) => ({ host: hostOf(group), http: group.http })));
  });
  afterAll(() => sites[Symbol.asyncDispose]());

  describe.each(["gateway", "sidecar"] as const)("through a %s", (way) => {
    test.each(rows)("$about $name", async ({ own, call, outcome }) => {
      const { port, config } = sites[way];
      const { method = "GET", path = "/", headers: sent = {} } = call;
      const host = call.host?.(own) ?? own;
      const answer = await ask(method, port, path, { host, headers: sent });
      expect(seenBy(answer, outcome, host)).toEqual(outcome);
      const promise = promiseOf(explain(config, { port, host, path, method, headers: sent }), sites.names);
      expect({ promise, kept: isKept(promise, answer) }).toEqual({ promise, kept: true });
    });
  });
});
