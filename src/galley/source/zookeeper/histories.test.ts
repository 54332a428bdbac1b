import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs, seed } from "../../../testing/random/seed.ts";
import {
  dialects,
  type Following,
  History,
  type HistoryStep,
  histories,
  type SessionFault,
  type ZookeeperDialect,
} from "../../../testing/server/zookeeper-history.ts";
import type { Session } from "./session.ts";

/** The result of a source after a history, and the expected result. */
async function told(
  dialect: ZookeeperDialect,
  fault: SessionFault,
  { steps, ...following }: Following & { readonly steps: readonly HistoryStep[] },
) {
  const history = new History(dialect, fault, following);
  await history.run(steps);
  return { ...history.outcome, flaps: history.flaps };
}

const none: SessionFault = (open) => open;

/** A session that does some things otherwise. */
function altered(session: Session, changes: Partial<Session>): Session {
  return {
    children: (path, onChange) => session.children(path, onChange),
    data: (path, onChange) => session.data(path, onChange),
    exists: (path, onChange) => session.exists(path, onChange),
    watchTree: (path, onChanges) => session.watchTree(path, onChanges),
    get seen() {
      return session.seen;
    },
    close: () => session.close(),
    ...changes,
  };
}

/** Mistakes of a client that watches each node. */
const nodeFaults: Readonly<Record<string, SessionFault>> = {
  "sets the watch after it has read the children"(open) {
    return (onEvent, seen) => {
      const session = open(onEvent, seen);
      return altered(session, {
        async children(path, onChange) {
          const answer = await session.children(path);
          void session.children(path, onChange);
          return answer;
        },
      });
    };
  },
  "takes a folder that it may not read for an empty one"(open) {
    return (onEvent, seen) => {
      const session = open(onEvent, seen);
      return altered(session, {
        async children(path, onChange) {
          const answer = await session.children(path, onChange);
          return answer.type === "refused" ? { type: "found", value: [] } : answer;
        },
      });
    };
  },
};

const nothing = () => {};

/** Mistakes of a client that watches the whole tree. */
const treeFaults: Readonly<Record<string, SessionFault>> = {
  "reads before the tree is watched"(open) {
    return (onEvent, seen) => {
      const session = open(onEvent, seen);
      let watch = nothing;
      return altered(session, {
        async watchTree(path, onChanges) {
          watch = () => void session.watchTree(path, onChanges);
          return { type: "found", value: true };
        },
        async children(path, onChange) {
          const answer = await session.children(path, onChange);
          watch();
          watch = nothing;
          return answer;
        },
      });
    };
  },
  "misses that nodes were deleted"(open) {
    return (onEvent, seen) => {
      const session = open(onEvent, seen);
      return altered(session, {
        watchTree: (path, onChanges) =>
          session.watchTree(path, (changes) => onChanges(changes.filter(({ type }) => type !== "deleted"))),
      });
    };
  },
};

const faults: Readonly<Record<string, SessionFault>> = {
  "does not notice that it was not connected for a while"(open) {
    return (onEvent, seen) => {
      let connected = false;
      return open((event) => {
        if (event === "disconnected" || (event === "connected" && connected)) return;
        connected = true;
        onEvent(event);
      }, seen);
    };
  },
  "does not hear that its session has expired"(open) {
    return (onEvent, seen) => open((event) => event === "expired" || onEvent(event), seen);
  },
};

describe.each([
  { name: "dubbo", watch: "tree" },
  { name: "dubbo", watch: "each node" },
  { name: "curator", watch: "tree" },
  { name: "curator", watch: "each node" },
] as const)(
  "a $name registry with a watch of $watch, whatever happens to its servers and connections",
  ({ name, watch }) => {
    const recursive = watch === "tree";
    const allFaults = { ...(recursive ? treeFaults : nodeFaults), ...faults };
    // Everything readable is followed without regular reads.
    const steps = recursive ? histories.map(withoutRefusals) : histories;

    test("ends in its true state, and loses no endpoint that was not removed", async () => {
      const property = fc.asyncProperty(steps, async (history) => {
        const { shown, registered, flaps } = await told(dialects[name], none, { steps: history, recursive });
        expect(flaps).toEqual([]);
        expect(shown).toEqual(registered);
      });
      await fc.assert(property, { seed, numRuns: runs(400) });
    });

    test.each(Object.keys(allFaults))("would not be by a client that %s", async (fault) => {
      const property = fc.asyncProperty(steps, async (history) => {
        const planted = allFaults[fault] ?? none;
        const { shown, registered, flaps } = await told(dialects[name], planted, { steps: history, recursive });
        return flaps.length === 0 && shown.join() === registered.join();
      });
      const { failed } = await fc.check(property, { seed, numRuns: 500, endOnFailure: true });
      expect(failed).toBe(true);
    });
  },
);

test("a watch of the whole tree and regular reads show nodes that were not readable for a while", async () => {
  const property = fc.asyncProperty(histories, async (history) => {
    const following = { recursive: true, refreshMs: 20_000 };
    const { shown, registered, flaps } = await told(dialects.dubbo, none, { steps: history, ...following });
    expect(flaps).toEqual([]);
    expect(shown).toEqual(registered);
  });
  await fc.assert(property, { seed, numRuns: runs(200) });
});

function withoutRefusals(history: readonly HistoryStep[]): readonly HistoryStep[] {
  return history.filter(({ type }) => type !== "forbid" && type !== "allow");
}

/** Takes what a server shows it for the newest, though another one has shown it more. */
const trusting: SessionFault = (open) => (onEvent) => open(onEvent);

test.each([true, false])(
  "a new session never reads an older state than the previous session, because it sends the last seen transaction (one watch for all nodes: %s)",
  async (recursive) => {
    const arrivals: readonly HistoryStep[] = Array.from({ length: 5 }, () => ({ type: "deliver", amount: 9 }));
    const steps: readonly HistoryStep[] = [
      { type: "register", service: 0, instance: 0 },
      { type: "connect", amount: 0 },
      ...arrivals,
      { type: "register", service: 0, instance: 1 },
      { type: "replicate", amount: 9 },
      ...arrivals,
      { type: "expire" },
      { type: "connect", amount: 1 },
      ...arrivals,
    ];
    expect(await told(dialects.dubbo, none, { steps, recursive })).toMatchObject({ flaps: [] });
    expect(await told(dialects.dubbo, trusting, { steps, recursive })).toMatchObject({ flaps: ["s0 10.0.0.1"] });
  },
);
