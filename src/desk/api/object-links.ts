import type { Viewer } from "../../admin/viewer.ts";
import { type ConfigId, configId } from "../../config/config.ts";
import { kindNameOf, nameOf, namespaceOf } from "../../pilot/model/config-id.ts";
import type { JournalObject } from "../journal/recorded-change.ts";
import type { ChangedObject } from "./model/changes.ts";
import type { Shortened } from "./model/listing.ts";
import type { ObjectLink } from "./model/object-link.ts";
import type { DeskState } from "./desk-state.ts";
import { maySee } from "./endpoint.ts";

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

/** Links to the objects that the viewer may see. */
export function visibleLinks(
  ids: readonly ConfigId[],
  viewer: Viewer,
  state: Pick<DeskState, "originOf">,
): readonly ObjectLink[] {
  return ids.filter((id) => maySee(viewer, namespaceOf(id))).map((id) => linkTo(id, state));
}

const shownLinks = 20;

/** The first of these links: a shared resource is made from thousands of objects. */
export function firstLinks(
  ids: readonly ConfigId[],
  viewer: Viewer,
  state: Pick<DeskState, "originOf">,
): Shortened<ObjectLink> {
  const visible = ids.filter((id) => maySee(viewer, namespaceOf(id)));
  return { items: visible.slice(0, shownLinks).map((id) => linkTo(id, state)), total: visible.length };
}

/** A link to an object as it was when it changed. */
export function linkToChanged({ kind, namespace, name, ...rest }: JournalObject): ChangedObject {
  const { operation, source, reference } = rest;
  return { id: configId(kind, namespace, name), kind, namespace, name, operation, source, reference };
}
