import { type ConfigId, configId } from "../../config/config.ts";
import { kindNameOf, nameOf, namespaceOf } from "../../pilot/model/config-id.ts";
import type { JournalObject } from "../journal/recorded-change.ts";
import type { ChangedObject } from "./model/changes.ts";
import type { ObjectLink } from "./model/object-link.ts";
import type { DeskState } from "./desk-state.ts";

/** A link to an object as it is now. */
export function linkTo(id: ConfigId, { originOf }: Pick<DeskState, "originOf">): ObjectLink {
  const origin = originOf(id);
  return {
    id,
    kind: kindNameOf(id),
    namespace: namespaceOf(id),
    name: nameOf(id),
    ...(origin !== undefined && { source: origin.source, reference: origin.reference }),
  };
}

/** A link to an object as it was when it changed. */
export function linkToChanged({ kind, namespace, name, ...rest }: JournalObject): ChangedObject {
  const { operation, source, reference } = rest;
  return { id: configId(kind, namespace, name), kind, namespace, name, operation, source, reference };
}
