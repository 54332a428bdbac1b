import type { Viewer } from "../../../../admin/viewer.ts";
import type { ConfigId } from "../../../../config/config.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import type { PushContext } from "../../../../pilot/model/push-context.ts";
import { type AlikeCallers, groupByCallers } from "../../../calls/namespace-calls.ts";
import type { DeskState } from "../../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, maySee, problem } from "../../endpoint.ts";
import type { Shortened } from "../../model/listing.ts";
import type { CallerGroup, NamespaceDetail } from "../../model/mesh.ts";
import type { ObjectLink } from "../../model/object-link.ts";
import { linkTo } from "../../object-links.ts";
import { callersAmong, namespacesOf } from "./namespaces.ts";

const shownGroups = 50;
const shownServices = 20;
const shownRules = 100;
const shownObjects = 5;

export async function oneNamespace(state: DeskState, { viewer, values: [name = ""] }: ApiRequest): Promise<ApiAnswer> {
  const namespaces = namespacesOf(state, viewer);
  const summary = namespaces.find((each) => each.name === name);
  if (summary === undefined) return problem(404, `the mesh has no namespace ${name} with services or proxies`);
  const push = state.published();
  const services = [...push.services.values()]
    .filter(({ namespace }) => namespace === name)
    .toSorted((a, b) => compareTexts(a.hostname, b.hostname));
  const groups = await groupByCallers(services, callersAmong(namespaces), push, state.turn);
  const body: NamespaceDetail = {
    ...summary,
    groups: {
      items: groups.slice(0, shownGroups).map((group) => ({
        services: {
          items: group.services.slice(0, shownServices).map(({ hostname }) => hostname),
          total: group.services.length,
        },
        callers: group.callers.map((each) => callerGroup(each, viewer, state)),
      })),
      total: groups.length,
    },
    rules: rulesOf(name, push, state),
  };
  return found(body);
}

/** Leaves out objects that the viewer may not see. */
export function callerGroup(
  { namespaces, verdict, reasons }: AlikeCallers,
  viewer: Viewer,
  state: DeskState,
): CallerGroup {
  const linked = (ids: readonly ConfigId[]) =>
    ids
      .slice(0, shownObjects)
      .map((id) => linkTo(id, state))
      .filter(({ namespace }) => maySee(viewer, namespace));
  return { namespaces, verdict, reasons: reasons.map((each) => ({ ...each, objects: linked(each.objects) })) };
}

/** The objects of the namespace that decide about calls. */
function rulesOf(namespace: string, push: PushContext, state: DeskState): Shortened<ObjectLink> {
  const owners = [
    push.sidecarsByNamespace.get(namespace) ?? [],
    push.peerAuthenticationsByNamespace.get(namespace) ?? [],
    push.authorizationPoliciesByNamespace.get(namespace) ?? [],
  ]
    .flat()
    .map(({ owner }) => owner)
    .toSorted(compareTexts);
  return { items: owners.slice(0, shownRules).map((owner) => linkTo(owner, state)), total: owners.length };
}
