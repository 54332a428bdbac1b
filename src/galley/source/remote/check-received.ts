import type { Message } from "@bufbuild/protobuf";
import { type Config, configKey } from "../../../config/config.ts";
import { effectFindings } from "../../../config/effect/effect-findings.ts";
import type { Finding } from "../../../config/finding.ts";
import type { IssueCode } from "../../../config/issue-codes.ts";
import { serviceEntry } from "../../../config/kinds/service-entry.ts";
import { lostFields } from "../../../config/old-api/lost-fields.ts";
import type { McpCollection } from "../../../mcp/collections.ts";
import { typeUrlOf } from "../../../mcp/envelope/body.ts";
import { isSyntheticName } from "../../../mcp/xds/config-form.ts";
import { isFallback } from "./received-collections.ts";

/**
 * Validates an object from a peer by the rules of its kind, like an object in a file. A peer may forward invalid
 * objects, as Galley 1.3.6 in file mode does. Envoy would then reject a whole type. Names are not validated: control
 * planes give generated objects names that authors may not use.
 */
export function checkReceived(config: Config, collection: McpCollection): readonly Finding[] {
  const { kind, body } = collection;
  // Mesh services travel in our own message, so the rules of their kind do not apply.
  if (body.typeUrl !== typeUrlOf(kind.schema)) return [];
  // A collection holds only specs of its kind, because the envelope was opened with that schema.
  const typed = config as Config<Message>;
  const findings = kind.validate?.(typed, undefined) ?? [];
  const isMade = isFallback(collection) || (kind.kind === serviceEntry.kind && isSyntheticName(configKey(config)));
  return [
    ...(isMade ? findings.filter(({ code }) => !slips.has(code)) : findings),
    ...lostFields(kind.schema, typed.spec),
    ...effectFindings(kind, typed.spec, "spec"),
  ];
}

/**
 * Rules that protect only authors. Entries that a control plane made of services break them on purpose. Their ports may
 * have the protocol `UnsupportedProtocol`, and a namespace may appear twice in exportTo.
 */
const slips: ReadonlySet<IssueCode> = new Set(["unknown-protocol", "duplicate-value"]);
