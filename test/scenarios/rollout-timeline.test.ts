import { expect, test } from "vitest";
import type { GateAnswer } from "../../src/pilot/xds/rollout/staged-rollout.ts";
import { routeTo, service, theGateway } from "./quarantine/poisoned-mesh.ts";
import { StagedMesh } from "./rollout/staged-mesh.ts";
import { staged } from "./rollout/staged-objects.ts";

const settings = { waves: "1, 50%", wait: "30s", query: "errors", most: "0.01" };
const passed: GateAnswer = { type: "passed", value: 0 };

/** Ten proxies, a staged change, and a gate that gives the current answer. */
async function started() {
  const gate: { answer: GateAnswer } = { answer: passed };
  const objects = [theGateway, service("backend"), routeTo(0, "backend", "old")];
  const mesh = await StagedMesh.start("delta", 10, objects, { askGate: () => Promise.resolve(gate.answer) });
  await mesh.setting.apply(staged(routeTo(0, "backend", "new"), settings));
  await mesh.pass(4);
  const order = { by: "alice", reason: "lunch" };
  const command = async (word: "pause" | "resume" | "abort" | "promote") => {
    expect(mesh.rollouts.command(word, "shop/change", order)).toBe(true);
    await mesh.pass(4);
  };
  const timeline = () =>
    [...mesh.rollouts.rollouts, ...mesh.rollouts.ended].flatMap(({ events }) =>
      events.map(({ type, wave, by, reason }) => [type, wave, by, reason].filter((each) => each !== "").join(" ")),
    );
  return { mesh, gate, command, timeline };
}

test("the timeline of a rollout says who did what, when and why", async () => {
  const { mesh, gate, command, timeline } = await started();
  await command("pause");
  await command("resume");
  await mesh.pass(30);
  gate.answer = { type: "no data", reason: "the query gives no sample" };
  await mesh.pass(6);
  gate.answer = passed;
  await mesh.pass(5);
  await command("abort");
  expect(mesh.rollouts.rollouts[0]?.reason).toBe("aborted by alice: lunch");
  await command("resume");
  await command("promote");
  expect(timeline()).toEqual([
    expect.stringMatching(/^started 0 \S+ VirtualService\/shop\/vs-0 \(\S+:\d+\)$/u),
    "wave 1",
    "acknowledged 1",
    "gate 1 gate passed: 0",
    "paused 1 alice lunch",
    "resumed 1 alice lunch",
    "wave 2",
    "acknowledged 2",
    "gate 2 gate passed: 0",
    "gate 2 gate no data: the query gives no sample",
    "gate 2 gate passed: 0",
    "aborted 2 alice lunch",
    "resumed 0 alice lunch",
    "wave 1",
    "acknowledged 1",
    "gate 1 gate passed: 0",
    "promoted 1 alice lunch",
    "finished 1",
  ]);
  const events = mesh.rollouts.ended.flatMap((each) => each.events);
  expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).toSorted((a, b) => a - b));
});

test("the timeline names the proxy that rejects, and the gate that is above its limit", async () => {
  const { mesh, gate, timeline } = await started();
  gate.answer = { type: "above", value: 0.5 };
  await mesh.pass(6);
  const words = "the query gives 0.5, and at most 0.01 is allowed";
  expect(timeline().slice(-2)).toEqual(["gate 1 gate above: 0.5", `halted 1 gate ${words}`]);
  gate.answer = passed;
  await mesh.setting.apply(staged(routeTo(0, "backend", "poison"), settings));
  await mesh.pass(4);
  expect(timeline().at(-1)).toMatch(/^halted 1 (router~\S+) \1 rejected it: /u);
  await mesh.setting.apply(staged(routeTo(0, "backend", "old"), settings));
  expect(timeline().at(-1)).toMatch(/^withdrawn 1 \S+ VirtualService\/shop\/vs-0 /u);
});

test("a long timeline keeps its beginning and its newest events", async () => {
  const { mesh, gate } = await started();
  mesh.setting.mesh.apply(staged(routeTo(0, "backend", "newer"), { ...settings, wait: "1h" }));
  for (let time = 0; time < 120; time++) {
    gate.answer = time % 2 === 0 ? { type: "no data", reason: `${time}` } : passed;
    await mesh.pass(5);
  }
  const events = mesh.rollouts.rollouts.flatMap((each) => each.events);
  expect(events).toHaveLength(100);
  expect([events[0]?.type, events.at(-1)?.reason]).toEqual(["started", "passed: 0"]);
});
