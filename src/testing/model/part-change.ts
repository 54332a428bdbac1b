import type { ConfigId } from "../../config/config.ts";
import { assert } from "../../lib/assert.ts";
import { ProtoWriter } from "../../lib/proto-writer/proto-writer.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { PushContext } from "../../pilot/model/push-context.ts";
import type { PartFamily } from "../../pilot/xds/generator.ts";

interface Edited {
  readonly before: PushContext;
  readonly after: PushContext;
  readonly changed: readonly ConfigId[];
}

/** The changes that a family sends to a proxy after an edit, and the cost of encoding them. */
export function partChange(familyWith: (writer: ProtoWriter) => PartFamily, proxy: Proxy, edited: Edited) {
  const { before, after: push, changed } = edited;
  const writer = new ProtoWriter();
  const family = familyWith(writer);
  const [inputs] = family.parts(proxy, push, "all");
  assert(inputs !== undefined, "the proxy has a part");
  family.generate({ inputs, push: before });
  const encoded = writer.encodings;
  const since = { push: before, changed: new Set(changed) };
  const { covers, resources } = family.generate({ inputs, push, since });
  return {
    covers: covers === "all" ? covers : [...covers].toSorted(),
    names: resources.map(({ name }) => name).toSorted(),
    encodings: writer.encodings - encoded,
  };
}
