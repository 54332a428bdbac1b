import fc from "fast-check";
import { expect, test } from "vitest";
import { interactingEdits } from "../../src/testing/mesh/interacting-edits.ts";
import { WrittenObjects } from "../../src/testing/mesh/written-objects.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { RecordedShop } from "../../src/testing/recording/recorded-shop.ts";
import { replayed } from "../../src/testing/recording/replayed.ts";
import { usualNodes } from "./fresh-server/nodes.ts";

/** Something that a proxy does between two edits, and the time after it. */
const event = fc.record({
  proxy: fc.nat(usualNodes.length - 1),
  what: fc.constantFrom("connect", "disconnect", "reject", "accept", "read", "read"),
  passMs: fc.nat(30),
});
const stories = fc.array(fc.array(event, { maxLength: 6 }), { minLength: 1, maxLength: 6 });

test("a replay of random edits and streams sends the same bytes", async () => {
  const total = { steps: 0, responses: 0 };
  await fc.assert(
    fc.asyncProperty(interactingEdits, stories, async (batches, story) => {
      const shop = new RecordedShop({ allowPlaintextSecrets: true });
      const objects = new WrittenObjects();
      const sink = { apply: shop.source.apply.bind(shop.source), removeAll: shop.source.remove.bind(shop.source) };
      await shop.start();
      const envoys = usualNodes.map(({ id, metadata }, index) =>
        shop.connect(index % 2 === 0 ? "sotw" : "delta", { nodeId: id, metadata: { ...metadata }, asksForAll: true }),
      );
      for (const [index, batch] of batches.entries()) {
        shop.source.batch(() => batch.forEach((edit) => void objects.edit(edit, sink)));
        for (const { proxy, what, passMs } of story[index % story.length] ?? []) {
          const envoy = envoys[proxy];
          if (what === "disconnect") envoy?.disconnect();
          else if (what === "connect" && envoy?.stream === undefined) envoy?.connect(shop);
          else if (what === "read") envoy?.step();
          else if (envoy !== undefined) envoy.reject = () => what === "reject";
          await shop.pass(passMs);
        }
      }
      await shop.settle(...envoys);
      const { first, steps, responses } = await replayed(shop.text);
      expect(first).toBeUndefined();
      expect(shop.unrecorded).toEqual([]);
      total.steps += steps;
      total.responses += responses;
    }),
    { seed, numRuns: runs(4) },
  );
  expect(total.responses).toBeGreaterThan(100);
  process.stderr.write(`${total.steps} steps, ${total.responses} responses, each compared with the recorded one\n`);
});
