import { setImmediate as settled } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { StatusMessage } from "../../../config/analysis/status-messages.ts";
import type { StatusCondition } from "../../../config/analysis/status-condition.ts";
import { virtualService } from "../../../config/kinds/virtual-service.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import type { ObjectId } from "../../store/object-id.ts";
import type { FoundStatus, StatusContent, StatusObjects } from "./status-objects.ts";
import { StatusWriter, type WriteResult } from "./status-writer.ts";
import type { WantedStatus } from "./wanted-status.ts";

const kind = virtualService;
const keyOf = ({ namespace, name }: ObjectId) => `VirtualService ${namespace}/${name}`;

function messageOf(code: string): StatusMessage {
  return { type: { code, name: code }, level: "ERROR", documentationUrl: "", message: `about ${code}` };
}

function wanted(name: string, version: string | undefined, ...codes: readonly string[]): [string, WantedStatus] {
  const object = { kind, namespace: "shop", name };
  return [keyOf(object), { object, version, messages: codes.map(messageOf), conditions: [] }];
}

const quarantined: StatusCondition = {
  type: "Quarantined",
  status: "True",
  reason: "RefusedByProxies",
  message: "bad regex",
  lastTransitionTime: "2026-01-01T00:00:00.000Z",
};

/** A cluster of virtual services, which can be out of order for a while. */
class FakeObjects implements StatusObjects {
  readonly stored = new Map<string, FoundStatus>();
  readonly calls: string[] = [];
  readonly failures: Error[] = [];
  unlisted: Error | undefined;

  put(name: string, version: string, messages?: readonly StatusMessage[]): void {
    this.stored.set(`VirtualService shop/${name}`, {
      messages,
      conditions: [],
      otherConditions: [],
      version,
      resourceVersion: "1",
      hasMore: false,
    });
  }

  codes(name: string): unknown {
    const { messages } = this.stored.get(`VirtualService shop/${name}`) ?? {};
    return (messages as readonly StatusMessage[] | undefined)?.map(({ type }) => type.code);
  }

  async list(_signal: AbortSignal, onFailure: (subject: string, error: unknown) => void) {
    if (this.unlisted !== undefined) onFailure("VirtualService", this.unlisted);
    return [...this.stored].flatMap(([key, found]) => {
      const name = key.slice("VirtualService shop/".length);
      return found.messages === undefined && found.conditions.length === 0
        ? []
        : [{ ...found, key, object: { kind, namespace: "shop", name } }];
    });
  }

  async read(object: ObjectId): Promise<FoundStatus | undefined> {
    this.calls.push(`read ${object.name}`);
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    return this.stored.get(keyOf(object));
  }

  async write(object: ObjectId, found: FoundStatus, { messages, conditions }: StatusContent) {
    this.calls.push(`write ${object.name}`);
    const stored = { ...found, messages: messages.length === 0 ? undefined : messages, conditions };
    this.stored.set(keyOf(object), stored);
    return stored;
  }
}

function writer() {
  const clock = new FakeClock();
  const objects = new FakeObjects();
  const results: WriteResult[] = [];
  const failures: string[] = [];
  const judge = { isOurs: ({ name }: ObjectId) => name !== "foreign" };
  const subject = new StatusWriter({
    objects,
    clock,
    isOurs: (object) => judge.isOurs(object),
    onResult: (result) => results.push(result),
    onFailure: (key, error) => failures.push(`${key}: ${String(error)}`),
    onError: (error) => failures.push(`bug: ${String(error)}`),
  });
  const pass = async (ms = 1_000) => {
    for (let passed = 0; passed < ms; passed += 50) {
      await settled();
      clock.advance(50);
    }
    await settled();
  };
  return { clock, objects, results, failures, judge, subject, pass };
}

describe("the status of objects", () => {
  test("is not written before the first report, nor before this process leads", async () => {
    const { objects, subject, pass } = writer();
    objects.put("a", "v1", [messageOf("IST0101")]);
    subject.start();
    await pass();
    expect(objects.calls).toEqual([]);
    await subject.stop();
    subject.want(new Map());
    await pass();
    expect(objects.calls).toEqual([]);
  });

  test("is written once, and not again without new messages", async () => {
    const { objects, results, subject, pass } = writer();
    objects.put("a", "v1");
    subject.start();
    await pass();
    subject.want(new Map([wanted("a", "v1", "IST0101", "IST0112")]));
    await pass();
    expect(objects.codes("a")).toEqual(["IST0101", "IST0112"]);
    subject.want(new Map([wanted("a", "v1", "IST0101", "IST0112")]));
    await pass();
    expect(objects.calls).toEqual(["read a", "write a"]);
    expect(results).toEqual(["written", "unchanged"]);
  });

  test("is removed when the object is fixed", async () => {
    const { objects, results, subject, pass } = writer();
    objects.put("a", "v1");
    subject.want(new Map([wanted("a", "v1", "IST0101")]));
    subject.start();
    await pass();
    objects.put("a", "v2", [messageOf("IST0101")]);
    subject.want(new Map());
    await pass();
    expect([objects.codes("a"), results]).toEqual([undefined, ["written", "removed"]]);
  });

  test("has the condition of a quarantined object, also without messages, until the object is released", async () => {
    const { objects, results, subject, pass } = writer();
    objects.put("a", "v1");
    const [key, status] = wanted("a", "v1");
    const at = (message: string) => new Map([[key, { ...status, conditions: [{ ...quarantined, message }] }]]);
    subject.start();
    await pass();
    for (const message of ["bad regex", "bad regex", "bad header"]) {
      subject.want(at(message));
      await pass();
      expect(objects.stored.get(key)?.conditions).toMatchObject([{ type: "Quarantined", message }]);
    }
    subject.want(new Map());
    await pass();
    expect(objects.stored.get(key)?.conditions).toEqual([]);
    expect(results).toEqual(["written", "unchanged", "written", "removed"]);
  });

  test("loses the condition of an earlier writer", async () => {
    const { objects, results, subject, pass } = writer();
    objects.put("a", "v1");
    const [key, status] = wanted("a", "v1", "IST0101");
    objects.stored.set(key, { ...(objects.stored.get(key) as FoundStatus), conditions: [quarantined] });
    subject.want(new Map([[key, status]]));
    subject.start();
    await pass();
    expect([objects.codes("a"), objects.stored.get(key)?.conditions]).toEqual([["IST0101"], []]);
    expect(results).toEqual(["written"]);
  });

  test("of an earlier writer is removed if it is outdated, and stays if it is right", async () => {
    const { objects, results, subject, pass } = writer();
    objects.put("a", "v1", [messageOf("IST0101")]);
    objects.put("b", "v1", [messageOf("IST0101")]);
    subject.want(new Map([wanted("a", "v1", "IST0101")]));
    subject.start();
    await pass();
    expect([objects.codes("a"), objects.codes("b")]).toEqual([["IST0101"], undefined]);
    expect(objects.calls).toEqual(["read b", "write b"]);
    expect(results).toEqual(["unchanged", "removed"]);
  });

  test("stays for objects that this process does not analyze", async () => {
    const { objects, subject, pass } = writer();
    objects.put("foreign", "v1", [messageOf("IST0101")]);
    subject.want(new Map());
    subject.start();
    await pass();
    expect([objects.codes("foreign"), objects.calls]).toEqual([["IST0101"], []]);
  });

  test("is not written to another version than the analyzed one, and is written after the next report", async () => {
    const { objects, results, subject, pass } = writer();
    objects.put("a", "v2");
    subject.start();
    subject.want(new Map([wanted("a", "v1", "IST0101")]));
    await pass();
    expect([objects.codes("a"), results]).toEqual([undefined, ["outdated"]]);
    subject.want(new Map([wanted("a", "v2", "IST0101")]));
    await pass();
    expect([objects.codes("a"), results]).toEqual([["IST0101"], ["outdated", "written"]]);
  });

  test("is not written after an edit that leaves the messages the same", async () => {
    const { objects, results, subject, pass } = writer();
    objects.put("a", "v2", [messageOf("IST0101")]);
    subject.start();
    await pass();
    subject.want(new Map([wanted("a", "v1", "IST0101")]));
    await pass();
    expect([objects.calls, results]).toEqual([["read a"], ["unchanged"]]);
  });

  test("needs no version for an unreadable object", async () => {
    const { objects, subject, pass } = writer();
    objects.put("a", "v7");
    subject.want(new Map([wanted("a", undefined, "IST0106")]));
    subject.start();
    await pass();
    expect(objects.codes("a")).toEqual(["IST0106"]);
  });

  test("is queued once per object, with the newest messages", async () => {
    const { objects, subject, pass } = writer();
    objects.put("a", "v1");
    subject.start();
    await pass();
    for (const code of ["IST0101", "IST0112", "IST0109"]) subject.want(new Map([wanted("a", "v1", code)]));
    await pass();
    expect(objects.codes("a")).toEqual(["IST0109"]);
    expect(objects.calls.filter((call) => call === "write a").length).toBeLessThanOrEqual(2);
  });

  test("is written again after a failure, with the reason reported", async () => {
    const { objects, results, failures, subject, pass } = writer();
    objects.put("a", "v1");
    objects.failures.push(new Error("down"), new Error("still down"));
    subject.want(new Map([wanted("a", "v1", "IST0101")]));
    subject.start();
    await pass(5_000);
    expect(objects.codes("a")).toEqual(["IST0101"]);
    expect(results).toEqual(["failed", "failed", "written"]);
    expect(failures).toEqual(["VirtualService shop/a: Error: down", "VirtualService shop/a: Error: still down"]);
  });

  test("is read once for a missing object", async () => {
    const { objects, results, subject, pass } = writer();
    subject.start();
    await pass();
    for (let reports = 0; reports < 3; reports += 1) {
      subject.want(new Map([wanted("gone", "v1", "IST0101")]));
      await pass();
    }
    expect(objects.calls).toEqual(["read gone"]);
    subject.want(new Map());
    await pass();
    expect(results).toEqual(["absent", "unchanged", "unchanged", "absent"]);
  });

  test("returns with the next listing after another client removed it", async () => {
    const { objects, subject, pass } = writer();
    objects.put("a", "v1");
    subject.want(new Map([wanted("a", "v1", "IST0101")]));
    subject.start();
    await pass();
    objects.put("a", "v1");
    await pass(10 * 60_000 + 1_000);
    expect(objects.codes("a")).toEqual(["IST0101"]);
  });

  test("is written for known objects even if a listing fails, which is reported", async () => {
    const { objects, failures, subject, pass } = writer();
    objects.put("a", "v1");
    objects.unlisted = new Error("forbidden");
    subject.want(new Map([wanted("a", "v1", "IST0101")]));
    subject.start();
    await pass();
    expect([objects.codes("a"), failures]).toEqual([["IST0101"], ["VirtualService: Error: forbidden"]]);
  });

  test("is checked again after a bug, which is reported and ends nothing", async () => {
    const { objects, failures, judge, subject, pass } = writer();
    objects.put("a", "v1", [messageOf("IST0101")]);
    const { isOurs } = judge;
    judge.isOurs = () => {
      throw new Error("planted");
    };
    subject.want(new Map());
    subject.start();
    await pass();
    expect(failures).toEqual(["bug: Error: planted"]);
    judge.isOurs = isOurs;
    await pass(60_000);
    expect([objects.codes("a"), failures.length]).toEqual([undefined, 1]);
  });

  test("is not written after this process stops leading", async () => {
    const { clock, objects, subject, pass } = writer();
    for (let index = 0; index < 20; index += 1) objects.put(`a${index}`, "v1");
    subject.want(new Map(Array.from({ length: 20 }, (_, index) => wanted(`a${index}`, "v1", "IST0101"))));
    subject.start();
    await pass(300);
    await subject.stop();
    const { length } = objects.calls;
    await pass();
    expect([objects.calls.length, clock.pending]).toEqual([length, 0]);
    expect(length).toBeLessThan(20);
  });
});
