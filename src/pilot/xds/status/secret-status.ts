import type { ConfigId } from "../../../config/config.ts";
import { compareTexts } from "../../../lib/compare.ts";
import type { Connection } from "../../../xds/connection.ts";
import { secretType } from "../../../xds/type-urls.ts";
import { secretClientOf } from "../../model/credential/secret-client.ts";
import {
  refusalTexts,
  type SecretRefusal,
  type SecretVerdict,
  secretVerdict,
} from "../../model/credential/secret-verdict.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { PushContext } from "../../model/push-context.ts";

/** A secret that a proxy asks for. It contains names and reasons, and nothing of the secret itself. */
export type SecretStatus =
  | { readonly name: string; readonly state: "served"; readonly object: ConfigId }
  /** `objects` are the places where it could be. */
  | { readonly name: string; readonly state: "missing"; readonly objects: readonly ConfigId[] }
  | {
      readonly name: string;
      readonly state: "refused";
      readonly reason: SecretRefusal;
      readonly message: string;
    };

/** The secrets that a proxy asks for on this stream, sorted by name. */
export function secretStatusesOf(
  { client, watched }: Pick<Connection<Proxy>, "client" | "watched">,
  push: PushContext,
): readonly SecretStatus[] {
  const asked = watched.find(({ subscription }) => subscription.type.typeUrl === secretType);
  if (asked === undefined) return [];
  const names = [...asked.subscription.names].toSorted(compareTexts);
  const secretClient = secretClientOf(client, push);
  return names.map((name) => statusOf(name, secretVerdict(name, secretClient, push)));
}

function statusOf(name: string, verdict: SecretVerdict): SecretStatus {
  if (verdict.type === "served") return { name, state: "served", object: verdict.credential.owner };
  if (verdict.type === "missing") return { name, state: "missing", objects: verdict.objects };
  return { name, state: "refused", reason: verdict.reason, message: refusalTexts[verdict.reason] };
}
