import { describe, expect, test } from "vitest";
import { setOf, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { Subscription } from "../../xds/subscription/subscription.ts";
import { clusterType } from "../../xds/type-urls.ts";
import { RejectionLog } from "./rejection-log.ts";

const reason = "Error adding/updating cluster(s) reviews: no such thing";

/** A client that rejects two clusters, and names one of them. */
function rejecting(): Subscription {
  const subscription = new Subscription(toyGenerator(clusterType), "sotw");
  subscription.subscribeTo({ wildcard: true });
  const target = [setOf(clusterType, { ratings: 1, reviews: 1 })];
  const answer = subscription.due(target, { mayRemove: () => true });
  if (answer !== undefined) subscription.recordSent("1", answer, 0);
  subscription.nack("1", reason);
  return subscription;
}

function rejectionLog() {
  const logger = new RecordingLogger();
  const origin = { source: "file:mesh", reference: "mesh/reviews.yaml:7", locate: () => undefined };
  return { logger, log: new RejectionLog({ logger, originOf: () => origin }) };
}

describe("a rejection in the log", () => {
  test("names the resource, the object, and its file and line", () => {
    const { logger, log } = rejectionLog();
    log.rejected("CDS", "gw", reason, rejecting());
    expect(logger.lines).toMatchObject([
      {
        level: "warn",
        fields: {
          type: "CDS",
          node: "gw",
          rejected: [
            { message: "no such thing", resources: ["reviews"], objects: ["Toy/toy/reviews (mesh/reviews.yaml:7)"] },
          ],
        },
      },
    ]);
  });

  test("is a warning once per push, however many proxies send it", () => {
    const { logger, log } = rejectionLog();
    for (const node of ["a", "b"]) log.rejected("CDS", node, reason, rejecting());
    log.pushStarted();
    log.rejected("CDS", "a", reason, undefined);
    expect(logger.lines.map(({ level }) => level)).toEqual(["warn", "debug", "warn"]);
  });
});
