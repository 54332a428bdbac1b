import { type Config, configKey } from "../../../src/config/config.ts";
import { kindServedAs, kinds } from "../../../src/config/kinds.ts";
import type { EtcdChange } from "../../../src/etcd/etcd-values.ts";
import { EtcdContent } from "../../../src/galley/source/etcd/etcd-content.ts";
import { objectKey } from "../../../src/galley/source/etcd/object-key.ts";
import { SourceRecorder } from "../../../src/testing/recording/source-recorder.ts";
import { framed, messagesIn } from "../frames.ts";
import { promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";
import { inheritedNames } from "../words.ts";

const prefix = "/binnacle";
const keys = {
  entry: "networking.istio.io/serviceentries/shop/a",
  policy: "security.istio.io/authorizationpolicies/shop/a",
  namespace: "core/namespaces/_/shop",
};
const entry = `{"apiVersion":"networking.istio.io/v1","kind":"ServiceEntry","metadata":{"name":"a","namespace":"shop"},"spec":{"hosts":["a.example"],"ports":[{"number":80,"name":"http","protocol":"HTTP"}],"resolution":"DNS"}}`;
const policy =
  "apiVersion: security.istio.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: a, namespace: shop}\nspec: {rules: [{}]}\n";
const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {a: b}}\n";

/** Keys and values of etcd, as `KEY` without the prefix and value in turns. An empty value deletes the key. */
export const target: FuzzTarget = {
  name: "etcd",
  mode: "sync",
  seeds: () => [
    texts(keys.entry, entry, keys.policy, policy, keys.namespace, namespace),
    texts(keys.policy, policy, keys.policy, "spec: [", keys.policy, ""),
    texts("a/b", entry, keys.entry, policy, keys.policy, "apiVersion: security.istio.io/v1\nkind: Nothing"),
  ],
  words: [...inheritedNames, ...Object.values(keys), "metadata: {name: a, namespace: shop}\n", "spec: {}\n", "---\n"],
  planted: {
    file: "src/galley/source/etcd/read-value.ts",
    before: "  const text = decodeText(value);",
    text: "key",
  },
  check: (input) => {
    const heard = new SourceRecorder();
    const content = new EtcdContent({ prefix, source: "fuzz", kinds });
    const changes = changesIn(input);
    for (const change of changes) {
      heard.handler(content.apply([change]));
      if (change.type === "put")
        promise([...content.put(change)].length === 0, "a value that was read says nothing new");
    }
    const held = new Set(changes.map(({ key }) => key));
    for (const config of heard.state.values()) promise(held.has(keyOf(config)), "an object belongs to its key");
    heard.handler([...content.retain(new Set())]);
    promise(heard.state.size === 0 && heard.issues.size === 0, "nothing is left of an empty store");
  },
};

function changesIn(input: Buffer): readonly EtcdChange[] {
  const messages = messagesIn(input);
  return messages.flatMap((message, at): readonly EtcdChange[] => {
    if (at % 2 === 1) return [];
    const key = `${prefix}/${message.toString("utf8")}`;
    const value = Buffer.from(messages[at + 1] ?? "");
    const revision = at + 1;
    return [value.length === 0 ? { type: "delete", key, revision } : { type: "put", key, value, revision, since: 1 }];
  });
}

function keyOf({ apiVersion, kind, namespace: inNamespace, name }: Config): string {
  const row = kindServedAs(kinds, apiVersion, kind);
  promise(row !== undefined, () => `an accepted object has a kind, not ${configKey({ namespace: inNamespace, name })}`);
  return objectKey(prefix, { ...row, namespace: inNamespace, name });
}

function texts(...parts: readonly string[]): Uint8Array {
  return framed(parts.map((part) => Buffer.from(part)));
}
