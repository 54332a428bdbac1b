import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { configId } from "../../config/config.ts";
import { apiVersionOf, type Kind } from "../../config/kind.ts";
import { kinds } from "../../config/kinds.ts";
import { clusterEndpoint, clusterService } from "../../testing/config/fake-cluster-service.ts";
import { configOf } from "../../testing/config/fake-config.ts";
import { insteadOf } from "./instead-of.ts";
import { mayStage } from "./rollout/may-stage.ts";
import { isSameContent } from "./rollout/staged-change.ts";
import { textOf } from "./text-of.ts";

const before = clusterService();
const after = clusterService({ endpoints: [clusterEndpoint("10.0.0.1")] });

/** Requests must not pass without objects of these kinds. A Wasm module fails closed if it does not say otherwise. */
function denied({ kind, substitute }: Kind): boolean {
  return substitute !== undefined || kind === "WasmPlugin";
}

test.each(kinds)("a refused $kind is read and replaced, with a message and with a plain spec", (row) => {
  const changes = { apiVersion: apiVersionOf(row) };
  const id = configId(row.kind, "shop", "object");
  const plain = [before, after].map(({ spec }) => configOf(row.kind, "object", spec, changes));
  const message = configOf(row.kind, "object", create(row.schema), changes);
  for (const config of [message, ...plain]) {
    expect(insteadOf(id, config, undefined).type).toBe(denied(row) ? "denied" : "nothing");
    expect(isSameContent(config, config)).toBe(true);
    expect(mayStage(undefined, config)).toBe(mayStage(undefined, message));
  }
  expect(plain.map(textOf)).toEqual([expect.stringContaining("cart.shop"), expect.stringContaining("10.0.0.1")]);
  expect(isSameContent(plain[0], plain[1])).toBe(false);
});

test("a refused service of a registry is left out", () => {
  const id = configId("Service", "shop", "cart");
  expect(insteadOf(id, after, undefined)).toEqual({ type: "nothing", objects: new Map([[id, undefined]]) });
});
