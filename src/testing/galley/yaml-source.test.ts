import { expect, test } from "vitest";
import type { SourceEvent } from "../../galley/source/source.ts";
import { YamlSource } from "./yaml-source.ts";

const invalid = `apiVersion: networking.istio.io/v1
kind: DestinationRule
metadata: {name: poison, namespace: shop}
spec: {host: "", trafficPolicy: {loadBalancer: {consistentHash: {minimumRingSize: 10000000}}}}
`;

test("applyUnvalidated accepts an object that validation rejects", async () => {
  const source = new YamlSource();
  const events: SourceEvent[] = [];
  await source.start((batch) => {
    for (const event of batch) if (event.type === "upserted") events.push(event);
  });
  expect(source.applyValid(invalid).some(({ severity }) => severity === "error")).toBe(true);
  expect(events).toEqual([]);
  source.applyUnvalidated(invalid);
  expect(events).toMatchObject([{ config: { name: "poison" } }]);
});
