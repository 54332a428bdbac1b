import fc from "fast-check";
import { authorizationPolicy } from "./authorization-edits.ts";
import { clusterObject } from "./cluster-edits.ts";
import { coreEdit, coreObjects } from "./core-edits.ts";
import { credentialObject } from "./credential-edits.ts";
import { envoyFilter } from "./envoy-filter-edits.ts";
import { extensionEdit, plugin } from "./extension-edits.ts";
import {
  headlessService,
  headlessSlice,
  kubernetesService,
  machine,
  namespaceObject,
  pod,
  slice,
} from "./interacting-cluster.ts";
import { selectingService, service, workload } from "./interacting-services.ts";
import { providers, settings } from "./interacting-settings.ts";
import { delegate, gateway, routes, rule } from "./interacting-traffic.ts";
import { peerAuthentication, sidecar } from "./interacting-workloads.ts";
import { legacyEdit, legacyObject } from "./legacy-edits.ts";
import { meshEdit } from "./mesh-edits.ts";
import type { ObjectEdit } from "./written-objects.ts";

const anything: fc.Arbitrary<ObjectEdit> = fc
  .record({ edit: meshEdit, field: fc.option(fc.nat(7), { nil: undefined }) })
  .map(({ edit: { apiVersion, kind, namespace: where, name, spec }, field }) => ({
    object: { apiVersion, kind, metadata: { namespace: where, name }, spec: spec ?? {} },
    deleted: spec === undefined,
    ...(field !== undefined && { field }),
  }));

const interacting: fc.Arbitrary<ObjectEdit> = fc
  .record({
    object: fc.oneof(
      { weight: 5, arbitrary: service },
      { weight: 4, arbitrary: rule },
      { weight: 4, arbitrary: routes },
      { weight: 1, arbitrary: delegate },
      { weight: 3, arbitrary: sidecar },
      { weight: 2, arbitrary: selectingService },
      { weight: 2, arbitrary: workload },
      { weight: 3, arbitrary: kubernetesService },
      { weight: 3, arbitrary: slice },
      { weight: 2, arbitrary: pod },
      { weight: 1, arbitrary: machine },
      { weight: 1, arbitrary: namespaceObject },
      { weight: 2, arbitrary: gateway },
      { weight: 2, arbitrary: peerAuthentication },
      { weight: 3, arbitrary: authorizationPolicy },
      { weight: 3, arbitrary: envoyFilter },
      { weight: 2, arbitrary: credentialObject },
    ),
    deleted: fc.nat(3).map((chance) => chance === 0),
    field: fc.option(fc.nat(7), { nil: undefined, freq: 3 }),
  })
  .map(({ field, ...edit }) => ({ ...edit, ...(field !== undefined && { field }) }));

/** Most objects are there at first: an object that stands alone interacts with nothing. */
const first: fc.Arbitrary<readonly ObjectEdit[]> = fc
  .tuple(
    service,
    service,
    selectingService,
    workload,
    rule,
    rule,
    routes,
    routes,
    gateway,
    kubernetesService,
    slice,
    peerAuthentication,
    authorizationPolicy,
    envoyFilter,
    plugin,
    legacyObject,
    legacyObject,
    legacyObject,
  )
  .chain((present) => fc.subarray(present, { minLength: 6 }))
  .chain((present) => fc.constantFrom([], coreObjects, coreObjects).map((core) => [...core, ...present]))
  .chain((present) =>
    fc.array(sidecar, { maxLength: 2 }).map((sidecars) => [headlessService, providers, ...present, ...sidecars]),
  )
  .map((objects) => objects.map((object) => ({ object, deleted: false })));

/** Endpoints change most often, and alone: `endpoints` is the last field of a service. */
const endpointsAlone = service.map((object) => ({ object, deleted: false, field: 6 }));

/** Objects of a cluster that meet these less: Ingresses, their classes, endpoints as they were listed before slices. */
const anythingInCluster: fc.Arbitrary<ObjectEdit> = fc.record({
  object: clusterObject,
  deleted: fc.nat(3).map((chance) => chance === 0),
});

const edit: fc.Arbitrary<ObjectEdit> = fc.oneof(
  { weight: 18, arbitrary: interacting },
  { weight: 18, arbitrary: coreEdit },
  { weight: 3, arbitrary: endpointsAlone },
  { weight: 2, arbitrary: headlessSlice.map((object) => ({ object, deleted: false })) },
  { weight: 5, arbitrary: anything },
  { weight: 3, arbitrary: anythingInCluster },
  { weight: 4, arbitrary: extensionEdit },
  { weight: 6, arbitrary: legacyEdit },
  { weight: 2, arbitrary: settings.map((object) => ({ object, deleted: false })) },
);

/** A mesh at once, and then few edits at a time: a step that edits much hides what one edit alone would leave behind. */
export const interactingEdits: fc.Arbitrary<readonly (readonly ObjectEdit[])[]> = fc
  .record({
    start: first,
    steps: fc.array(fc.array(edit, { minLength: 1, maxLength: 2 }), { minLength: 4, maxLength: 12 }),
  })
  .map(({ start, steps }) => [start, ...steps]);
