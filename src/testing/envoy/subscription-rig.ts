import type { Mode } from "../../xds/mode.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import { Subscription } from "../../xds/subscription/subscription.ts";
import { clusterType } from "../../xds/type-urls.ts";
import { setOf, toyGenerator } from "./toy-mesh.ts";

/** Revisions by name. */
export type Contents = Readonly<Record<string, number>>;

interface RigOptions {
  readonly type?: ResourceType;
  readonly names?: readonly string[];
}

/**
 * A client of one type with these names, or with the wildcard. Each answer is a text like `+a -b`.
 */
export function subscriptionRig(mode: Mode, { type = toyGenerator(clusterType), names }: RigOptions = {}) {
  const subscription = new Subscription(type, mode);
  subscription.subscribeTo(names === undefined ? { wildcard: true } : { names: new Set(names) });
  let nonce = 0;
  const due = (contents: Contents, mayRemove = true) =>
    subscription.due([setOf(type.typeUrl, contents)], { mayRemove: () => mayRemove });
  const send = (contents: Contents, mayRemove = true) => {
    const answer = due(contents, mayRemove);
    if (answer === undefined) return "nothing";
    subscription.recordSent(String(++nonce), answer, 100 * nonce);
    return [...answer.resources.map(({ name }) => `+${name}`), ...answer.removed.map((name) => `-${name}`)].join(" ");
  };
  const accept = (contents: Contents, mayRemove = true) => {
    const text = send(contents, mayRemove);
    subscription.ack(subscription.sentNonce);
    return text;
  };
  return { subscription, due, send, accept };
}

/** The version of a resource at a revision. */
export const versionOf = (typeUrl: string, name: string, revision: number) =>
  setOf(typeUrl, { [name]: revision }).get(name)?.version;
