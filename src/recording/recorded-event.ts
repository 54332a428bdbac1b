import type { JsonObject, JsonValue, MessageShape } from "@bufbuild/protobuf";
import { configMap, secret } from "../config/kinds/secret.ts";
import type { Source, SourceEvent } from "../galley/source/source.ts";
import { configOf, type LoggedObject, loggedObject } from "../history/logged-object.ts";
import { provenanceIn } from "../history/moment.ts";
import { isMapping } from "../lib/is-mapping.ts";
import type { Recorder } from "./recorder.ts";
import type { RecordedEvent } from "./step.ts";

/** The same source. Its events are steps of the recording. */
export function recordedSource(source: Source, recorder: Recorder): Source {
  const { name, collections } = source;
  return {
    name,
    collections,
    start: (handler) =>
      source.start((events) =>
        recorder.run(
          () => ({ type: "source", source: name, events: events.flatMap(recordedEvent) }),
          () => handler(events),
        ),
      ),
    stop: () => source.stop(),
    idle: () => source.idle(),
    ...(source.reload && { reload: () => source.reload?.() ?? Promise.resolve() }),
  };
}

/** The event without secrets, as the history keeps objects. */
function recordedEvent(event: SourceEvent): readonly RecordedEvent[] {
  if (event.type === "issues") return [];
  if (event.type !== "upserted") return [event];
  const { collection, config } = event;
  const provenance = provenanceIn(config.origin);
  return [{ type: "upserted", collection, object: loggedObject(config, collection), provenance }];
}

/** The event that the pipeline gets. Undefined for an object that cannot be read. */
export function sourceEvent(event: RecordedEvent): SourceEvent | undefined {
  if (event.type !== "upserted") return event;
  const { collection, object, provenance } = event;
  const config = configOf(withStandIns(object), provenance);
  return config && { type: "upserted", collection, config: { ...config, ...sealed(collection, config.spec) } };
}

/**
 * A Secret or ConfigMap whose parts have texts again: other ones, but as many, and others for each version. So the
 * replayed server sends a secret whenever the recorded one did.
 */
function withStandIns(object: LoggedObject): LoggedObject {
  const { collection, spec, version } = object;
  const field = standInFields.get(collection);
  if (field === undefined || !isMapping(spec) || !isMapping(spec["data"])) return object;
  const { data, ...rest } = spec as { readonly data: JsonObject; readonly [field: string]: JsonValue };
  const texts = Object.fromEntries(Object.keys(data).map((name) => [name, `${name} of version ${version}`]));
  return { ...object, spec: { ...rest, [field]: texts } };
}

/** The field with the parts as texts, by collection. */
const standInFields: ReadonlyMap<string, string> = new Map([
  [secret.collection, "stringData"],
  [configMap.collection, "data"],
]);

function sealed(collection: string, spec: unknown) {
  return collection === secret.collection ? secret.seal?.(spec as MessageShape<typeof secret.schema>) : undefined;
}
