import { expect, test } from "vitest";
import { supervisedParts } from "../../src/app/parts/supervised-parts.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { clusterType } from "../../src/xds/type-urls.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { putServiceEntry, startBreakable } from "./support/failing/breakable-server.ts";
import { faults } from "./support/failing/faults.ts";
import { get, portOf } from "./support/http.ts";
import { SotwClient } from "./support/xds/ads-client.ts";

const soon = { seconds: 30 };
const message = "part failed, other parts continue";

test("a failure is planted in each supervised part", () => {
  const planted = new Set(faults.map(({ part }) => part).filter((part) => !part.startsWith("metric ")));
  expect([...planted].toSorted()).toEqual(supervisedParts.toSorted());
});

/** Resolves when a cluster of this host was sent. A client that came early gets it in its second answer. */
async function untilServed(client: SotwClient, host: string): Promise<void> {
  const response = await client.next(clusterType, soon);
  client.ack(response);
  if (!response.resources.some(({ value }) => Buffer.from(value).includes(host))) await untilServed(client, host);
}

const titled = faults.map(({ part, place, stage }) => ({ part, title: [part, place].join(" ").trim(), stage }));

test.each(titled)("a throw in $title is counted, logged once, and proxies are served", async ({ part, stage }) => {
  const { settings, plant, meet, error = "planted" } = await stage();
  const running = await startBreakable(settings);
  const { addresses } = running.listeners;
  using old = new SotwClient(portOf(addresses.xds), gatewayNode);
  old.subscribe(clusterType);
  old.ack(await old.next(clusterType, soon));

  plant(running);
  putServiceEntry(running.source, "after");
  await meet?.(running);

  using newcomer = new SotwClient(portOf(addresses.xds), gatewayNode);
  newcomer.subscribe(clusterType);
  await untilServed(old, "after.example.com");
  await untilServed(newcomer, "after.example.com");
  const counter = `binnacle_part_failures_total{part="${part}"}`;
  const counted = async () => (await get(portOf(addresses.metrics), "/metrics")).body.includes(counter);
  await eventually(counter, counted, soon);
  expect(running.logger.lines).toContainEqual({
    level: "error",
    message,
    fields: expect.objectContaining({
      part,
      err: expect.objectContaining({ message: expect.stringContaining(error) }),
    }),
  });
  expect(running.logger.messages("error").filter((line) => line !== message)).toEqual([]);
});
