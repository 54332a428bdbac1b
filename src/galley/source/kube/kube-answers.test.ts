import { expect, test } from "vitest";
import type { KubeFault } from "../../../testing/server/fake-kube.ts";
import { entry, KubeRig, kubeServiceEntries } from "../../../testing/server/kube-rig.ts";

function changes({ heard }: KubeRig) {
  return heard.events.filter(({ type }) => type === "upserted" || type === "deleted");
}

test.each([
  ["and no event", ""],
  ["and a page of a proxy", "<html>502 Bad Gateway</html>"],
  ["and half an event", '{"type":"ADDED","object":{"metadata":{"na'],
])(
  "a server that answers watches with success %s makes the source stale, until it answers well",
  async (_what, text) => {
    await using rig = await KubeRig.create();
    rig.fake.put(kubeServiceEntries, entry("reviews", "one.shop"));
    await rig.synced();
    const before = changes(rig);
    const answer = { type: "answer", answer: (response) => response.end(text) } as const satisfies KubeFault;
    rig.fake.fault = ({ path }) => (path === kubeServiceEntries ? answer : undefined);
    rig.fake.endWatches("broken");
    await rig.until("it is stale", () => rig.stale !== undefined);
    expect(changes(rig)).toEqual(before);
    rig.fake.fault = () => undefined;
    rig.fake.put(kubeServiceEntries, entry("reviews", "two.shop"));
    await rig.tells("shop/reviews=two.shop");
    await expect(rig.until("it is fresh", () => rig.stale === undefined)).resolves.toBeUndefined();
  },
);
