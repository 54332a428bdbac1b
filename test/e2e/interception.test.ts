import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explain } from "../../src/explain/explain.ts";
import { arrivedAt, promisedBy } from "./interception/arrived.ts";
import { closed, mesh } from "./interception/mesh.ts";
import { closedRows, openRows } from "./interception/rows.ts";
import { openWorld, type World } from "./interception/world.ts";
import { describeWithNetwork } from "./support/peers.ts";

const describeRedirected = await describeWithNetwork("envoy", "nft");

const meshes = [
  { about: "with ALLOW_ANY", files: mesh, rows: openRows },
  { about: "with REGISTRY_ONLY and a Sidecar", files: { ...mesh, ...closed }, rows: closedRows },
];

describeRedirected("connections that the kernel redirects to a sidecar", () => {
  describe.each(meshes)("$about", ({ files, rows }) => {
    let world: World;
    beforeAll(async () => {
      world = await openWorld(files);
    });
    afterAll(() => world[Symbol.asyncDispose]());

    test.each(rows)("$name", async ({ from, dial, arrives }) => {
      expect(arrivedAt(await world.call(from, dial))).toEqual(arrives);
      const direction = from === "workload" ? "outbound" : "inbound";
      const { protocol, path = "/", headers = {}, ...whom } = dial;
      const request = { ...whom, protocol, path, headers, method: "GET", direction, sni: dial.host } as const;
      expect(promisedBy(explain(world.config, request))).toContain(arrives);
    });
  });
});
