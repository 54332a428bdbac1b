import { expect, onTestFinished, test } from "vitest";
import { kinds } from "../../../config/kinds.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { TempTree } from "../../../testing/temp-tree.ts";
import type { SourceEvent } from "../source.ts";
import { createFileSource } from "./file-source.ts";

const collection = "k8s/security.istio.io/v1beta1/authorizationpolicies";
const policy = (metadata: string, spec: string) =>
  `apiVersion: security.istio.io/v1\nkind: AuthorizationPolicy\nmetadata: ${metadata}\n${spec}`;

/** A source of one file, with the events so far. */
async function started(text: string) {
  const tree = await TempTree.create();
  await tree.write("mesh/a.yaml", text);
  const source = createFileSource({ directory: tree.path("mesh"), kinds, clock: new FakeClock() });
  const events: SourceEvent[] = [];
  onTestFinished(async () => {
    await source.stop();
    await tree.close();
  });
  await source.start((more) => {
    for (const event of more) events.push(event);
  });
  const write = async (next: string) => {
    await tree.write("mesh/a.yaml", next);
    await source.reload();
  };
  return { events, write };
}

function isComplete(events: readonly SourceEvent[]): boolean {
  return events.some((event) => event.type === "fullSync" && event.collection === collection);
}

function issuesIn(events: readonly SourceEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "issues" ? event.issues.map(({ code }) => code) : []));
}

test("a source that starts with a policy that cannot be identified is complete after the repair", async () => {
  const { events, write } = await started(policy("{name: a, namespace: sh", ""));
  expect([isComplete(events), issuesIn(events).includes("hidden-policy")]).toEqual([false, true]);
  await write(policy("{name: a, namespace: shop}", "spec: {action: DENY, rules: [{}]}\n"));
  expect(isComplete(events)).toBe(true);
  expect(events.findLast((event) => event.type === "issues")).toMatchObject({ issues: [] });
});

test("a source that starts with an invalid policy is complete, and denies access until the repair", async () => {
  const { events, write } = await started(policy("{name: a, namespace: shop}", "spec: {action: DENY}\n"));
  expect([isComplete(events), issuesIn(events).includes("unusable-policy")]).toEqual([true, true]);
  expect(events.find((event) => event.type === "upserted")).toMatchObject({
    config: { name: "a", namespace: "shop", version: expect.stringMatching(/^substitute-/u) },
  });
  await write(policy("{name: a, namespace: shop}", "spec: {}\n"));
  const last = events.findLast((event) => event.type === "upserted");
  expect(last).not.toMatchObject({ config: { version: expect.stringMatching(/^substitute-/u) } });
});

test("broken documents of other kinds do not hold the start", async () => {
  const { events } = await started("kind: VirtualService\nmetadata: {name: [\n");
  expect(isComplete(events)).toBe(true);
});
