import type { Message } from "@bufbuild/protobuf";
import { type Config, configKey } from "../../../config/config.ts";
import type { Finding } from "../../../config/finding.ts";
import type { IssueCode } from "../../../config/issue-codes.ts";
import { serviceEntry } from "../../../config/kinds/service-entry.ts";
import { lostFields } from "../../../config/old-api/lost-fields.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import { typeUrlOf } from "../../../mcp/envelope/body.ts";
import { isSyntheticName } from "../../../mcp/xds/config-form.ts";
import { isStandIn } from "./received-collections.ts";

/**
 * Judges an object from a peer by the rules of its kind, as an object in a file is judged. A peer may forward anything:
 * Galley 1.3.6 in file mode does, and Envoy would then reject a whole type. Names are not judged: control planes name
 * the objects that they make as no author may.
 */
export function checkReceived(config: Config, collection: McpCollection): readonly Finding[] {
  const { kind, body } = collection;
  // Services of the mesh travel in a form of our own: the rules of their kind are about another message.
  if (body.typeUrl !== typeUrlOf(kind.schema)) return [];
  // A collection holds only specs of its kind: the envelope was opened with that schema.
  const typed = config as Config<Message>;
  const findings = kind.validate?.(typed, undefined) ?? [];
  const isMade = isStandIn(collection) || (kind.kind === serviceEntry.kind && isSyntheticName(configKey(config)));
  return [
    ...(isMade ? findings.filter(({ code }) => !slips.has(code)) : findings),
    ...lostFields(kind.schema, typed.spec),
  ];
}

/**
 * Rules that only authors break to their own harm. Entries that a control plane made of services break them as well, and
 * mean what they say: a port may have the protocol `UnsupportedProtocol`, and a namespace may be exported to twice.
 */
const slips: ReadonlySet<IssueCode> = new Set(["unknown-protocol", "duplicate-value"]);
