import { describe, expect, onTestFinished, test } from "vitest";
import { HttpServer } from "../../admin/http-server.ts";
import { rolloutsPage } from "../../admin/pilot/rollouts-page.ts";
import { type ConfigId, configId } from "../../config/config.ts";
import { defaultPlan } from "../../config/rollout/rollout-plan.ts";
import type { StagedObject } from "../../pilot/registry/rollout/staged-change.ts";
import type { StagedRollout } from "../../pilot/xds/rollout/staged-rollout.ts";
import { fakeConfig } from "../../testing/config/fake-config.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { runCommand } from "../../testing/recording/run-command.ts";

const id = configId("VirtualService", "shop", "reviews");
const next = fakeConfig({ name: "reviews" });
const objects = new Map<ConfigId, StagedObject>([[id, { id, stable: undefined, next, joined: false }]]);
const node = "router~10.0.0.1~gw-0.shop~shop.svc.cluster.local";
const delivering: StagedRollout = {
  change: { id: "shop/checkout", merged: ["shop/cart"], objects },
  plan: defaultPlan,
  content: "",
  startedAt: 0,
  since: 0,
  phase: "delivering",
  wave: 1,
  chosen: new Set([node]),
  reason: "",
  cause: "",
  events: [{ type: "wave", at: 0, wave: 1, proxies: 2, by: "", reason: "" }],
};
const halted: StagedRollout = {
  ...delivering,
  phase: "halted",
  cause: "rejection",
  reason: `${node} rejected it: bad`,
};

/** A server with this rollout. It carries out `pause`, and no other command. */
async function run(rollout: StagedRollout | undefined, ...args: readonly string[]) {
  const commands: string[] = [];
  const page = rolloutsPage(
    { timeOf: () => new Date(0) },
    {
      rollouts: rollout === undefined ? [] : [rollout],
      ended: [],
      progressOf: () => ({ accepted: 1, missing: [node], gate: undefined }),
      reachedBy: () => [1, 2],
      command(command, name, { by, reason = "" } = {}) {
        commands.push(`${command} ${name}${reason === "" ? "" : ` by ${by}: ${reason}`}`);
        return command === "pause";
      },
    },
  );
  const logger = new RecordingLogger();
  const server = new HttpServer({ address: "127.0.0.1:0", routes: [page], logger, onFailure: () => {} });
  onTestFinished(() => server.stop());
  const ran = await runCommand(["rollout", ...args, "--server", await server.start()], { env: { USER: "alice" } });
  return { ...ran, commands };
}

describe("rollout", () => {
  test("list prints a line per rollout, and ends with 1 if one is halted", async () => {
    const { code, stdout } = await run(delivering, "list");
    expect(code).toBe(0);
    expect(stdout).toBe(`\
ROLLOUT         PHASE        WAVE         ACCEPTED   OBJECTS    SINCE                      REASON
shop/checkout   delivering   1 of 4 (1)   1/2        1 object   1970-01-01T00:00:00.000Z`);
    expect(await run(halted, "list")).toMatchObject({ code: 1, stdout: expect.stringContaining("rejected it: bad") });
    expect(await run(undefined, "list")).toMatchObject({ code: 0, stdout: "no change is staged" });
  });

  test("show prints objects, events and proxies without an answer", async () => {
    const { code, stdout } = await run(delivering, "show", "shop/checkout");
    expect(code).toBe(0);
    expect(stdout).toContain("shop/checkout: delivering, wave 1 of 4 (1)\ndelivered with shop/cart\n");
    expect(stdout).toContain(`accepted by 1 of 2 proxies of the waves so far\n  no answer: ${node}\n`);
    expect(stdout).toMatch(/VirtualService\/shop\/reviews +created +\S+/u);
    expect(stdout).toMatch(/1970-01-01T00:00:00.000Z +wave +1 +2/u);
    expect(await run(delivering, "show", "shop/chekout")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no rollout shop/chekout; did you mean shop/checkout?"),
    });
  });

  test("pause is carried out, and a command that the phase forbids is not", async () => {
    expect(await run(delivering, "pause", "shop/checkout")).toMatchObject({
      code: 0,
      commands: ["pause shop/checkout"],
    });
    expect((await run(delivering, "pause", "shop/checkout", "--reason", "  too\nslow ")).commands).toEqual([
      "pause shop/checkout by alice: too slow",
    ]);
    expect(await run(delivering, "resume", "shop/checkout")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("shop/checkout is delivering: it cannot resume"),
    });
    expect(await run(delivering, "abort", "shop/chekout")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no rollout shop/chekout; did you mean shop/checkout?"),
    });
  });

  test.each([
    [["pause"], "pause: which ROLLOUT?"],
    [["list", "a/b"], "list takes no ROLLOUT: a/b"],
    [["show", "a/b", "--reason", "c"], "--reason: not with show"],
    [["stop", "a/b"], "stop: expected list, or show"],
    [["show", "a/b", "--watch"], "--watch: only with list"],
  ])("%j is wrong usage", async (args, message) => {
    expect(await run(delivering, ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
