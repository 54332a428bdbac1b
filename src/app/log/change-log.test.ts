import { expect, test } from "vitest";
import { Graph } from "../../collection/graph.ts";
import type { Config } from "../../config/config.ts";
import { fakeConfig } from "../../testing/config/fake-config.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { logChanges } from "./change-log.ts";

const entries = "istio/networking/v1alpha3/serviceentries";

function rig(collection = entries) {
  const graph = new Graph();
  const input = graph.input<Config>(collection);
  const logger = new RecordingLogger();
  graph.onCommit((commit) => logChanges(commit, new Map([[collection, input]]), logger));
  return { graph, input, logger };
}

test("objects of the first sync are not logged, and every later change is, with its fields", () => {
  const { graph, input, logger } = rig();
  const config = fakeConfig({ name: "cart" });
  graph.batch(() => {
    input.set("shop/cart", config);
    input.markSynced();
  });
  expect(logger.lines).toEqual([]);
  graph.batch(() => input.set("shop/new", fakeConfig({ name: "new", line: 7 })));
  graph.batch(() => input.set("shop/cart", { ...config, version: "2", spec: { resolution: 2 } }));
  graph.batch(() => input.set("shop/cart", fakeConfig({ name: "cart", version: "2", line: 9 })));
  graph.batch(() => input.delete("shop/new"));
  expect(logger.lines.map(({ level, message }) => `${level} ${message}`)).toEqual(
    Array(3).fill("info config accepted"),
  );
  expect(logger.lines.map(({ fields }) => fields)).toEqual([
    { change: "added", object: "ServiceEntry shop/new", reference: "a.yaml:7" },
    { change: "updated", object: "ServiceEntry shop/cart", reference: "a.yaml:1", fields: ["spec.resolution"] },
    { change: "removed", object: "ServiceEntry shop/new", reference: "a.yaml:7" },
  ]);
});

test("many changes at once are one line with their counts", () => {
  const { graph, input, logger } = rig();
  graph.batch(() => input.markSynced());
  graph.batch(() => {
    for (let index = 0; index < 50; index += 1) input.set(`shop/s${index}`, fakeConfig({ name: `s${index}` }));
  });
  expect(logger.lines).toMatchObject([{ fields: { added: 50, updated: 0, removed: 0 }, message: "config accepted" }]);
});

test("objects that no user wrote, such as pods, are not logged", () => {
  const { graph, input, logger } = rig("k8s/core/v1/pods");
  graph.batch(() => input.markSynced());
  graph.batch(() => input.set("shop/a", fakeConfig({ name: "a" })));
  expect(logger.lines).toEqual([]);
});
