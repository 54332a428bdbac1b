import { expect, test } from "vitest";
import { MeshError } from "../../lib/errors.ts";
import { type RotationReport, rotationPage } from "./ca-rotation.ts";

const report: RotationReport = {
  phase: "distribute",
  phaseSince: "2026-01-01T00:00:00.000Z",
  phaseEnds: "2026-01-02T00:00:00.000Z",
  signs: true,
  signing: [],
  next: undefined,
  trusted: [],
};

function rig(known: RotationReport | undefined = report) {
  const commands: string[] = [];
  const page = rotationPage({
    report: () => known,
    async carryOut(command) {
      commands.push(command);
      if (command === "cancel") throw new MeshError("bad-option", "cannot cancel in phase sign");
      if (command === "advance") throw new MeshError("unavailable", "etcd: no answer in time");
    },
  });
  return { page, commands };
}

test("a command that is carried out is answered with the new state", async () => {
  const { page, commands } = rig();
  const answer = await page.change?.apply("command=rotate\n");
  expect([answer?.status, JSON.parse(answer?.body ?? "")]).toMatchObject([200, { phase: "distribute" }]);
  expect(commands).toEqual(["rotate"]);
});

test.each([
  ["command=cancel", 409, "cannot cancel in phase sign"],
  ["command=advance", 503, "etcd: no answer in time"],
  ["command=destroy", 400, "expected command=rotate, command=advance, command=cancel"],
  ["", 400, "expected command=rotate"],
])("%j is refused with %d", async (body, status, message) => {
  const answer = await rig().page.change?.apply(body);
  expect([answer?.status, answer?.body]).toEqual([status, expect.stringContaining(message)]);
});

test("the page has no content before the start", async () => {
  const page = rotationPage({ report: () => undefined, carryOut: async () => undefined });
  expect(await page.answer(new URLSearchParams())).toMatchObject({ status: 503 });
});
