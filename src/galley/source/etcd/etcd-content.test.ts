import { describe, expect, test } from "vitest";
import { kinds } from "../../../config/kinds.ts";
import type { EtcdChange } from "../../../etcd/etcd-values.ts";
import type { SourceEvent } from "../source.ts";
import { EtcdContent } from "./etcd-content.ts";

const key = "/mesh/networking.istio.io/serviceentries/shop/reviews";

function entry(host: string, namespace = "shop"): string {
  const spec = { hosts: [host], ports: [{ number: 80, name: "http", protocol: "HTTP" }], resolution: "DNS" };
  const metadata = { name: "reviews", namespace };
  return JSON.stringify({ apiVersion: "networking.istio.io/v1", kind: "ServiceEntry", metadata, spec });
}

/** Shows the events of one key: `+host`, `-key`, `!code…`. */
class Subject {
  readonly #content = new EtcdContent({ prefix: "/mesh", source: "etcd", kinds });
  #revision = 0;
  #since = 0;

  put(text: string, at = key): readonly string[] {
    this.#revision += 1;
    if (this.#since === 0) this.#since = this.#revision;
    const change = {
      type: "put",
      key: at,
      value: Buffer.from(text),
      revision: this.#revision,
      since: this.#since,
    } as const;
    return this.#apply([change]);
  }

  delete(): readonly string[] {
    this.#revision += 1;
    this.#since = 0;
    return this.#apply([{ type: "delete", key, revision: this.#revision }]);
  }

  /** A deletion that nobody hears of. */
  deleteUnseen(): void {
    this.#revision += 1;
    this.#since = 0;
  }

  again(text: string): readonly string[] {
    const value = Buffer.from(text);
    return [...this.#content.put({ key, value, revision: this.#revision, since: this.#since })].map(told);
  }

  gone(): readonly string[] {
    return [...this.#content.retain(new Set())].map(told);
  }

  #apply(changes: readonly EtcdChange[]): readonly string[] {
    return this.#content.apply(changes).map(told);
  }
}

function told(event: SourceEvent): string {
  if (event.type === "upserted") return `+${(event.config.spec as { hosts: string[] }).hosts[0]}`;
  if (event.type === "deleted") return `-${event.key}`;
  return event.type === "issues" ? `!${event.issues.map(({ code }) => code).join()}` : event.type;
}

describe("the value of a key", () => {
  test("is reported when it is new, changed or gone, and not when it was read before", () => {
    const subject = new Subject();
    expect(subject.put(entry("one.shop"))).toEqual(["+one.shop"]);
    expect(subject.again(entry("one.shop"))).toEqual([]);
    expect(subject.put(entry("two.shop"))).toEqual(["+two.shop"]);
    expect(subject.delete()).toEqual(["-shop/reviews"]);
  });

  test("is reported when a restored store has another value under the same revision", () => {
    const subject = new Subject();
    subject.put(entry("one.shop"));
    expect(subject.again(entry("two.shop"))).toEqual(["+two.shop"]);
  });

  test("is reported once when it is rewritten unchanged", () => {
    const subject = new Subject();
    subject.put(entry("one.shop"));
    expect(subject.put(entry("one.shop"))).toEqual([]);
  });

  test("keeps its last good object while it is broken", () => {
    const subject = new Subject();
    subject.put(entry("one.shop"));
    expect(subject.put("{")).toEqual([expect.stringMatching(/^!/u)]);
    expect(subject.put(entry("two.shop"))).toEqual(["+two.shop", "!"]);
  });

  test("loses its object when it was deleted before it was broken, even unobserved", () => {
    const subject = new Subject();
    subject.put(entry("one.shop"));
    subject.deleteUnseen();
    expect(subject.put("{")).toEqual(["-shop/reviews", expect.stringMatching(/^!/u)]);
  });

  test("must be the object of its key", () => {
    expect(new Subject().put(entry("one.shop", "other"))).toEqual(["!wrong-key"]);
    expect(new Subject().put(`${entry("one.shop")}\n---\n${entry("two.shop", "other")}`)).toEqual(["!several-objects"]);
    expect(new Subject().put(entry("one.shop"), "/mesh/notes")).toEqual(["!wrong-key"]);
  });

  test("is gone with its issues when a full read no longer contains it", () => {
    const subject = new Subject();
    subject.put(entry("one.shop"));
    subject.put("{");
    expect(subject.gone()).toEqual(["-shop/reviews", "!"]);
  });

  test("may omit the namespace, which its key contains", () => {
    expect(new Subject().put(entry("one.shop").replace(',"namespace":"shop"', ""))).toEqual(["+one.shop"]);
  });
});
