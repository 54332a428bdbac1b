import { expect, test } from "vitest";
import { configId } from "../../../../config/config.ts";
import { configIn } from "../../../../testing/config/configs-in.ts";
import { shopEntry } from "../../../../testing/server/wired-server.ts";
import { ContentLedger } from "./content-ledger.ts";

test("an object is in all pushes from its request on: its endpoints may overtake the rest of it", () => {
  let published = 4;
  const ledger = new ContentLedger({ now: () => 0, published: () => published, hasStreams: () => true });
  const id = configId("ServiceEntry", "shop", "reviews");
  ledger.committed(1, [{ id, before: undefined, after: configIn(shopEntry("reviews")) }]);
  ledger.requested(1);
  expect(ledger.of(id)).toMatchObject({ waits: true, pushes: [] });
  ledger.pushStarted({ number: 5, commits: [] });
  published = 5;
  expect(ledger.of(id).waits).toBe(true);
  ledger.pushStarted({ number: 6, commits: [1] });
  expect(ledger.of(id)).toMatchObject({ waits: false, pushes: [{ first: 5, last: 6 }] });
});
