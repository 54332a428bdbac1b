import { expect, test } from "vitest";
import { type Event, EventLog } from "./event-log.ts";

function push(resourceType: string, client: string, cause = "config", bytes = 100): Event {
  return { type: "push", at: 0, resourceType, bytes, clients: [client], causes: [cause] };
}

test("pushes of one interval that differ only in their client are one event", () => {
  const log = new EventLog({ capacity: 10 });
  for (const event of [push("CDS", "a"), push("RDS", "a"), push("CDS", "b", "config", 50), push("CDS", "b")]) {
    log.note(event);
  }
  log.endInterval();
  expect(log.events).toEqual([push("RDS", "a"), { ...push("CDS", "a"), clients: ["a", "b"], bytes: 250 }]);
});

test("pushes with different causes or intervals are separate events", () => {
  const log = new EventLog({ capacity: 10 });
  log.note(push("CDS", "a"));
  log.note(push("CDS", "b", "request"));
  log.endInterval();
  log.note(push("CDS", "b"));
  log.endInterval();
  expect(log.events).toEqual([push("CDS", "b"), push("CDS", "b", "request"), push("CDS", "a")]);
});

test("an event appears after its interval, and only the newest events are kept", () => {
  const log = new EventLog({ capacity: 2 });
  const troubles = ["one", "two", "three"].map((text): Event => ({ type: "trouble", at: 0, text }));
  for (const trouble of troubles) log.note(trouble);
  expect(log.events).toEqual([]);
  log.endInterval();
  expect(log.events).toEqual([troubles[2], troubles[1]]);
});
