import { expect, onTestFinished, test } from "vitest";
import { appliedVersion } from "../../src/config/applied-version.ts";
import { configId } from "../../src/config/config.ts";
import type { Question } from "../../src/pilot/xds/status/progress/object-progress.ts";
import type { ObjectReport } from "../../src/pilot/xds/status/progress/object-report.ts";
import { configIn } from "../../src/testing/config/configs-in.ts";
import { routeTo, service, theGateway } from "./quarantine/poisoned-mesh.ts";
import { StagedMesh } from "./rollout/staged-mesh.ts";
import { staged } from "./rollout/staged-objects.ts";

const settings = { waves: "1, 50%", wait: "60s" };
const id = configId("VirtualService", "shop", "vs-0");
const routed = (text: string) => staged(routeTo(0, "backend", text), settings);
const hashOf = (text: string) => appliedVersion(configIn(text));

function question(more: Partial<Question>): Question {
  return { id, goal: "live", proxies: [], expected: [], allowNone: false, ...more };
}

/** Ten proxies with the old route, and the question whether the object is live. */
async function started() {
  const mesh = await StagedMesh.start("delta", 10, [theGateway, service("backend"), routed("old")]);
  const { waits } = mesh.setting.mesh;
  /** The report with which a wait of an hour ended; undefined while it waits. */
  const waitFor = (more: Partial<Question> = {}) => {
    const wait: { ended: ObjectReport | undefined } = { ended: undefined };
    const follow = async () => {
      wait.ended = await waits.reached(question(more), 3_600_000);
    };
    void follow();
    return wait;
  };
  onTestFinished(() => expect(mesh.setting.mesh.observer.failures).toEqual([]));
  return { mesh, waitFor, report: (more: Partial<Question> = {}) => waits.report(question(more)) };
}

test("a wait for a staged change names rollout and wave, and ends with the rollout, not before", async () => {
  const { mesh, waitFor, report } = await started();
  await mesh.setting.apply(routed("new"));
  const waits = [waitFor(), waitFor({ version: hashOf(routed("new")) })];
  const stages: (string | undefined)[] = [];
  for (let second = 0; second < 200 && waits.every(({ ended }) => ended === undefined); second += 5) {
    const { state, rollout, proxies } = report();
    const now = `${state} ${rollout?.id} ${rollout?.phase} ${rollout?.wave}/${rollout?.waves.length}`;
    if (stages.at(-1) !== now) stages.push(now);
    expect(proxies.live).toBe(mesh.having("new"));
    expect(state).toBe("staged");
    await mesh.pass(5);
  }
  expect(stages).toEqual(["staged shop/change delivering 1/3", "staged shop/change delivering 2/3"]);
  expect(mesh.having("new")).toBe(10);
  for (const { ended } of waits) {
    expect(ended).toMatchObject({ state: "live", isMet: true, rollout: undefined, proxies: { reached: 10, live: 10 } });
  }
});

test("a wait ends when the rollout is aborted, and says so; the version from before is live", async () => {
  const { mesh, waitFor, report } = await started();
  await mesh.setting.apply(routed("new"));
  await mesh.pass(90);
  const wait = waitFor({ version: hashOf(routed("new")) });
  const old = waitFor({ version: hashOf(routed("old")) });
  const rejected = waitFor({ goal: "rejected" });
  await mesh.pass(1);
  expect([wait.ended, old.ended]).toEqual([undefined, undefined]);
  expect(report({ version: hashOf(routed("old")) }).state).toBe("other content");
  mesh.rollouts.command("abort", "shop/change");
  await mesh.pass(2);
  expect(wait.ended).toMatchObject({ state: "halted", isMet: false, isFinal: true });
  expect(wait.ended?.rollout).toMatchObject({ id: "shop/change", phase: "halted", reason: "aborted by an operator" });
  expect(old.ended).toMatchObject({ state: "live", isMet: true });
  expect(rejected.ended).toMatchObject({ state: "halted", isMet: false, isFinal: true });
});

test("a rejection in a wave meets a wait for a rejection, and fails the others", async () => {
  const { mesh, waitFor } = await started();
  await mesh.setting.apply(routed("poison"));
  const [live, rejected] = [waitFor(), waitFor({ goal: "rejected" })];
  await mesh.pass(30);
  expect(live.ended).toMatchObject({ state: "halted", isMet: false });
  expect(live.ended?.rollout?.reason).toMatch(/^router~\S+ rejected it: /u);
  expect(rejected.ended).toMatchObject({ state: "halted", isMet: true });
});

test("a wait for a paused or waiting rollout goes on, and names the rollout that comes first", async () => {
  const { mesh, waitFor, report } = await started();
  await mesh.setting.apply(routed("new"));
  await mesh.pass(5);
  mesh.rollouts.command("pause", "shop/change");
  await mesh.setting.apply(staged(routeTo(1, "backend", "later"), { ...settings, name: "second" }));
  const wait = waitFor();
  await mesh.pass(300);
  expect(wait.ended).toBeUndefined();
  expect(report().rollout).toMatchObject({ phase: "paused", wave: 1 });
  const second = report({ id: configId("VirtualService", "shop", "vs-1") });
  expect(second).toMatchObject({ state: "staged", rollout: { id: "shop/second", behind: "shop/change" } });
});

test("a proxy of a wave without an answer is missing, and proxies of later waves are not", async () => {
  const { mesh, report } = await started();
  for (const envoy of mesh.envoys) envoy.step = () => false;
  await mesh.setting.apply(routed("new"));
  await mesh.pass(10);
  const { missing, proxies } = report();
  expect(missing.map(({ node, why }) => [node, why])).toEqual([
    [mesh.rollouts.rollouts.flatMap((each) => mesh.rollouts.reachedBy(each))[0]?.client.nodeId, "unacknowledged"],
  ]);
  expect(proxies).toEqual({ connected: 10, reached: 10, live: 0 });
});

test("a staged deletion is deleted at the end, and held back if it is aborted", async () => {
  const { mesh, waitFor } = await started();
  mesh.setting.mesh.remove("VirtualService", "shop", "vs-0");
  await mesh.setting.settle();
  const first = waitFor({ goal: "deleted" });
  await mesh.pass(90);
  expect(first.ended).toBeUndefined();
  mesh.rollouts.command("abort", "shop/change");
  await mesh.pass(2);
  expect(first.ended).toMatchObject({ state: "halted", isMet: false });
  mesh.rollouts.command("resume", "shop/change");
  const second = waitFor({ goal: "deleted" });
  await mesh.pass(250);
  expect(second.ended).toMatchObject({ state: "deleted", isMet: true });
  expect(mesh.having("old")).toBe(0);
});
