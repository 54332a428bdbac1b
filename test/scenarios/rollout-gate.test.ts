import { expect, test } from "vitest";
import type { GateAnswer } from "../../src/pilot/xds/rollout/staged-rollout.ts";
import { routeTo, service, theGateway } from "./quarantine/poisoned-mesh.ts";
import { StagedMesh } from "./rollout/staged-mesh.ts";
import { staged } from "./rollout/staged-objects.ts";

const settings = { waves: "1, 50%", wait: "60s", query: "errors", most: "0.01" };

/** Ten proxies, and a staged change whose gate gives the current answer. */
async function gated(first: GateAnswer) {
  const gate = { answer: first, asked: 0 };
  const askGate = () => {
    gate.asked += 1;
    return Promise.resolve(gate.answer);
  };
  const objects = [theGateway, service("backend"), routeTo(0, "backend", "old")];
  const mesh = await StagedMesh.start("delta", 10, objects, { askGate });
  await mesh.setting.apply(staged(routeTo(0, "backend", "new"), settings));
  return { mesh, gate };
}

test("a gate that passes lets every wave go on, and is asked while a wave runs", async () => {
  const { mesh, gate } = await gated({ type: "passed", value: 0 });
  await mesh.pass(30);
  expect(mesh.having("new")).toBe(1);
  expect(gate.asked).toBeGreaterThan(3);
  await mesh.pass(150);
  expect(mesh.having("new")).toBe(10);
});

test("a gate above its limit halts the rollout at once, before the time of the wave is over", async () => {
  const { mesh, gate } = await gated({ type: "passed", value: 0 });
  await mesh.pass(10);
  expect(mesh.having("new")).toBe(1);
  gate.answer = { type: "above", value: 0.2 };
  await mesh.pass(15);
  expect([mesh.having("new"), mesh.having("old")]).toEqual([0, 10]);
  expect(mesh.events.at(-1)).toBe("shop/change halted 1 0 the query gives 0.2, and at most 0.01 is allowed");
  const { asked } = gate;
  await mesh.pass(60);
  expect(gate.asked).toBe(asked);
});

test("a gate without data does not open, and halts the rollout in the end", async () => {
  const { mesh, gate } = await gated({ type: "no data", reason: "the query gives no sample" });
  await mesh.pass(300);
  expect(mesh.having("new")).toBe(1);
  expect(mesh.rollouts.rollouts.map(({ phase }) => phase)).toEqual(["delivering"]);
  await mesh.pass(120);
  expect(mesh.having("new")).toBe(0);
  expect(mesh.events.at(-1)).toContain("the query gave no data for 5 minutes: the query gives no sample");
  gate.answer = { type: "passed", value: 0 };
  expect(mesh.rollouts.command("resume", "shop/change")).toBe(true);
  await mesh.pass(200);
  expect(mesh.having("new")).toBe(10);
});
