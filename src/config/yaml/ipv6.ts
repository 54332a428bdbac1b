import { type Document, isMap, isPair, isScalar, isSeq, type Pair, Scalar } from "yaml";
import { forEachNode } from "./walk.ts";

/** Whether the text may contain such addresses, because a walk through all nodes is slow. */
export function mayHoldAddresses(text: string): boolean {
  return text.includes("::");
}

/**
 * Makes `[10.0.0.1, 2001:db8::]` a list of two texts. In YAML 1.2 the last colon opens a mapping, because a bracket
 * follows it. The parser of Kubernetes reads an address, and authors mean one.
 */
export function restoreAddresses(document: Document.Parsed): void {
  forEachNode(document.contents, (list) => {
    if (!isSeq(list) || !list.flow) return;
    list.items = list.items.map((item) => {
      const pair = isMap(item) && item.items.length === 1 ? item.items[0] : undefined;
      const address = pair === undefined ? undefined : addressIn(pair);
      if (address === undefined || !isMap(item)) return item;
      const text = new Scalar(`${address}:`);
      text.range = item.range ?? null;
      return text;
    });
  });
}

/** The key of a pair that can only be an address: a plain key with a colon at its end and no value. */
function addressIn(pair: Pair): string | undefined {
  if (!isPair(pair) || !isScalar(pair.key) || pair.key.type !== Scalar.PLAIN) return undefined;
  const empty = pair.value === null || (isScalar(pair.value) && pair.value.value === null && pair.value.source === "");
  const key = String(pair.key.value);
  return empty && /^[\da-f:]+:$/iu.test(key) ? key : undefined;
}
