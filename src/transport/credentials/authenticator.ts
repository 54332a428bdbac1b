import type { IncomingHttpHeaders } from "node:http";
import { errorFrom } from "../../lib/errors.ts";
import type { ClientCertificate } from "./client-certificate.ts";

/** What a client shows for itself, as its connection and its request carry it. Nothing of it is believed yet. */
export interface Credentials {
  readonly certificate: ClientCertificate;
  readonly headers: IncomingHttpHeaders;
}

/** What one authenticator says of a client. */
export type Finding =
  /** It is who these ids name. */
  | { readonly type: "identified"; readonly identities: readonly string[] }
  /** Nothing that this authenticator could judge, or nothing it believes: another one may. */
  | { readonly type: "unknown"; readonly reason: string }
  /** What it shows is no good, and it is turned away whatever else it shows. */
  | { readonly type: "refused"; readonly reason: string };

/** One way to find out who a client is. */
export interface Authenticator {
  /** For the log: who did not know the client. */
  readonly name: string;
  authenticate(credentials: Credentials): Finding | Promise<Finding>;
}

/** What all authenticators together say. The reasons are for our log: a stranger learns no more than that it is one. */
export type Authentication =
  | { readonly type: "identified"; readonly identities: readonly string[] }
  | { readonly type: "refused"; readonly reasons: readonly string[] };

/** Finds out who a client is; never rejects. */
export type Authenticate = (credentials: Credentials) => Promise<Authentication>;

/** Asks one authenticator after the other: the first that knows the client decides. */
export function authenticateBy(authenticators: readonly Authenticator[]): Authenticate {
  return async (credentials) => {
    const reasons: string[] = [];
    for (const authenticator of authenticators) {
      const finding = await findingOf(authenticator, credentials);
      if (finding.type === "identified") return finding;
      reasons.push(`${authenticator.name}: ${finding.reason}`);
      if (finding.type === "refused") break;
    }
    return { type: "refused", reasons };
  };
}

/** A bug in one authenticator lets nobody in, and keeps nobody from the next. */
async function findingOf(authenticator: Authenticator, credentials: Credentials): Promise<Finding> {
  try {
    return await authenticator.authenticate(credentials);
  } catch (thrown) {
    return { type: "unknown", reason: `failed: ${errorFrom(thrown).message}` };
  }
}
