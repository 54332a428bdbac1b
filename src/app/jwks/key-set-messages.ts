import { fillIn, type Message, type MessageType, subjectOf } from "../../config/analysis/message.ts";
import { messages } from "../../config/analysis/messages.ts";
import type { Config, ConfigId } from "../../config/config.ts";
import { canonicalKey } from "../../lib/canonical-key.ts";
import type { RequestAuthentication } from "../../pilot/model/policy/request-authentication.ts";
import type { KeySetState } from "./key-set-keeper.ts";
import { stateOf } from "./key-set-report.ts";
import { shownPlace } from "./shown-uri.ts";

/** A set without a message is there, or its first fetch has not ended. */
const types: Readonly<Partial<Record<ReturnType<typeof stateOf>, MessageType>>> = {
  failing: messages.keySetMissing,
  stale: messages.keySetStale,
};

/** Messages of the analysis about a key set that cannot be fetched: one for each policy that needs it. */
export function keySetMessages(
  state: KeySetState,
  policies: readonly RequestAuthentication[],
  configOf: (id: ConfigId) => Config | undefined,
): readonly Message[] {
  const type = types[stateOf(state)];
  if (type === undefined || state.error === undefined) return [];
  const { place } = state.request;
  const text = fillIn(type.template, { place: shownPlace(place), detail: state.error.message });
  return policies.flatMap(({ owner, rules }) => {
    const config = configOf(owner);
    if (config === undefined) return [];
    const index = rules.findIndex((rule) => rule.place !== undefined && canonicalKey(rule.place) === state.key);
    const path = `spec.jwtRules[${index}].${place.type === "uri" ? "jwksUri" : "issuer"}`;
    return [{ type, text, subject: subjectOf(config), path }];
  });
}
