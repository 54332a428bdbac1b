import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs, seed } from "../../../testing/random/seed.ts";
import {
  dialects,
  History,
  type HistoryStep,
  histories,
  type SessionFault,
  type ZookeeperDialect,
} from "../../../testing/server/zookeeper-history.ts";
import type { Session } from "./session.ts";

/** The result of a source after a history, and the expected result. */
async function told(dialect: ZookeeperDialect, fault: SessionFault, steps: readonly HistoryStep[]) {
  const history = new History(dialect, fault);
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
    get seen() {
      return session.seen;
    },
    close: () => session.close(),
    ...changes,
  };
}

const faults: Readonly<Record<string, SessionFault>> = {
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

describe.each(["dubbo", "curator"] as const)(
  "a %s registry, whatever happens to its servers and connections",
  (name) => {
    test("ends in its true state, and loses no endpoint that was not removed", async () => {
      const property = fc.asyncProperty(histories, async (history) => {
        const { shown, registered, flaps } = await told(dialects[name], none, history);
        expect(flaps).toEqual([]);
        expect(shown).toEqual(registered);
      });
      await fc.assert(property, { seed, numRuns: runs(400) });
    });

    test.each(Object.keys(faults))("would not be by a client that %s", async (fault) => {
      const property = fc.asyncProperty(histories, async (history) => {
        const { shown, registered, flaps } = await told(dialects[name], faults[fault] ?? none, history);
        return flaps.length === 0 && shown.join() === registered.join();
      });
      const { failed } = await fc.check(property, { seed, numRuns: 500, endOnFailure: true });
      expect(failed).toBe(true);
    });
  },
);

/** Takes what a server shows it for the newest, though another one has shown it more. */
const trusting: SessionFault = (open) => (onEvent) => open(onEvent);

test("a new session never reads an older state than the previous session, because it sends the last seen transaction", async () => {
  const arrivals: readonly HistoryStep[] = Array.from({ length: 5 }, () => ({ type: "deliver", amount: 9 }));
  const history: readonly HistoryStep[] = [
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
  expect(await told(dialects.dubbo, none, history)).toMatchObject({ flaps: [] });
  expect(await told(dialects.dubbo, trusting, history)).toMatchObject({ flaps: ["s0 10.0.0.1"] });
});
