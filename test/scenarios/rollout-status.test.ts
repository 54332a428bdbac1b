import { expect, test } from "vitest";
import { rolloutFeed } from "../../src/app/xds/rollout-feed.ts";
import { routeTo, service, theGateway } from "./quarantine/poisoned-mesh.ts";
import { StagedMesh } from "./rollout/staged-mesh.ts";
import { staged } from "./rollout/staged-objects.ts";

const settings = { waves: "1, 50%", wait: "60s" };

/** Ten proxies with the old route, and the conditions of objects as `reason: message`. */
async function started() {
  const mesh = await StagedMesh.start("delta", 10, [theGateway, service("backend"), routeTo(0, "backend", "old")]);
  const feed = rolloutFeed(mesh.setting.mesh);
  let told = 0;
  feed.listen(() => {
    told += 1;
  });
  const conditions = () =>
    feed.conditions().map(({ object, condition: { type, status, reason, message } }) => {
      return `${object} ${type}=${status} ${reason}: ${message}`;
    });
  return { mesh, feed, conditions, told: () => told };
}

const about = "VirtualService/shop/vs-0 RolledOut=";

test("the condition of an object tells its wave, a pause, and the end", async () => {
  const { mesh, feed, conditions, told } = await started();
  expect(conditions()).toEqual([]);
  await mesh.setting.apply(staged(routeTo(0, "backend", "new"), settings));
  await mesh.pass(5);
  expect(conditions()).toEqual([`${about}False Progressing: rollout shop/change: delivering, wave 1 of 3 (1)`]);
  await mesh.pass(70);
  expect(conditions()).toEqual([`${about}False Progressing: rollout shop/change: delivering, wave 2 of 3 (50%)`]);
  mesh.rollouts.command("pause", "shop/change");
  expect(conditions()).toEqual([`${about}False Paused: rollout shop/change: paused, wave 2 of 3 (50%)`]);
  mesh.rollouts.command("resume", "shop/change");
  expect(told()).toBeGreaterThan(5);
  await mesh.pass(100);
  expect(conditions()).toEqual([`${about}True Finished: rollout shop/change: all proxies get it`]);
  expect(feed.conditions()[0]).toMatchObject({ source: expect.any(String), object: "VirtualService/shop/vs-0" });
  await mesh.setting.apply(staged(routeTo(0, "backend", "newest"), settings));
  await mesh.pass(5);
  expect(conditions()).toEqual([`${about}False Progressing: rollout shop/change: delivering, wave 1 of 3 (1)`]);
  // The next version came without a rollout.
  await mesh.setting.apply(routeTo(0, "backend", "plain"));
  expect(conditions()).toEqual([]);
});

test("the condition of a halted rollout has its reason, and that of the next version replaces it", async () => {
  const { mesh, conditions } = await started();
  await mesh.setting.apply(staged(routeTo(0, "backend", "poison"), settings));
  await mesh.pass(10);
  expect(conditions()).toEqual([
    expect.stringMatching(/False Halted: rollout shop\/change: halted, wave 1 of 3 \(1\): router~\S+ rejected it: /u),
  ]);
  await mesh.setting.apply(staged(routeTo(0, "backend", "new"), settings));
  await mesh.pass(5);
  expect(conditions()).toEqual([`${about}False Progressing: rollout shop/change: delivering, wave 1 of 3 (1)`]);
  // Back to the old content: nothing is staged any more.
  await mesh.setting.apply(staged(routeTo(0, "backend", "old"), settings));
  expect(conditions()).toEqual([]);
});
