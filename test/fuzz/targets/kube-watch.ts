import { KubeError } from "../../../src/kube/kube-error.ts";
import { openWatch, type WatchEvent } from "../../../src/kube/watch.ts";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { clientOf, policies } from "../kube-under-test.ts";
import { orRefusedLater, promise } from "../oracle.ts";
import { stateOf } from "../received-state.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

/** Watches of a Kubernetes API server. Differential: a list of the same objects says the same as the watch. */
export const target: FuzzTarget = {
  name: "kube-watch",
  mode: "async",
  words: [
    ...inheritedNames,
    '{"type":"ADDED","object":',
    '{"type":"DELETED","object":',
    '"BOOKMARK"',
    '"ERROR"',
    '"metadata":{"name":"a"',
  ],
  planted: {
    file: "src/kube/kube-object.ts",
    before: "  const { name, namespace, resourceVersion, annotations } = metadata;",
    text: "JSON.stringify(raw)",
  },
  check: async (input) => {
    const watched = policies();
    const clock = new FakeClock();
    const events: WatchEvent[] = [];
    const { signal } = new AbortController();
    const options = { path: "/policies", signal, query: {}, clock, silenceMs: () => 1000 };
    await orRefusedLater(async () => {
      for await (const batch of await openWatch(clientOf([input]), options)) {
        const changes = batch.filter(({ type }) => type !== "BOOKMARK");
        await watched.content.change(changes);
        events.push(...changes);
      }
    }, KubeError);
    promise(clock.pending === 0, "an ended watch leaves no timer");
    const listed = policies();
    const pass = listed.content.begin();
    await pass.take(events);
    pass.end();
    // An invalid object keeps the last good version that a watch has seen, which a list does not show.
    if (watched.heard.issues.size === 0)
      promise(stateOf(listed.heard) === stateOf(watched.heard), "list and watch agree");
    watched.content.clear();
    promise(watched.heard.state.size === 0 && watched.heard.issues.size === 0, "nothing is left");
  },
};
